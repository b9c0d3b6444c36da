"""The differentiable rules, one topic a file. `_engine.py` says how a rule is written."""
