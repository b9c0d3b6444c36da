"""What readers write for the first exercise of all."""

from wrong_answer import WrongAnswer

WRONG = {
    "00.1": [
        WrongAnswer(
            name="forgets the bias",
            source="""
def count(module):
    return module.weight.numel()
""",
            expect="the bias was forgotten",
        ),
        WrongAnswer(
            name="counts Parameters instead of numbers",
            source="""
def count(module):
    return len(list(module.parameters()))
""",
            expect="the Parameters were counted (weight, bias)",
        ),
        WrongAnswer(
            name="knows the answer by heart",
            source="""
def count(module):
    return 15
""",
            expect="15 was right for the layer before",
        ),
        WrongAnswer(
            name="the formula of a Linear layer, bias or not",
            source="""
def count(module):
    return module.in_features * module.out_features + module.out_features
""",
            expect="4 biases were counted that this layer does not have",
        ),
        WrongAnswer(
            name="adds up the values",
            source="""
def count(module):
    return sum(p.sum() for p in module.parameters())
""",
            expect="the values were added up",
        ),
        WrongAnswer(
            name="prints instead of returning",
            source="""
def count(module):
    print(sum(p.numel() for p in module.parameters()))
""",
            expect="nothing was returned",
        ),
        WrongAnswer(
            name="takes the method without calling it",
            source="""
def count(module):
    return sum(p.numel() for p in module.parameters)
""",
            expect="`module.parameters()`, with parentheses",
        ),
    ],
}
