"""The differentiable rules, one topic a file. `_engine/` says how a rule is written."""
