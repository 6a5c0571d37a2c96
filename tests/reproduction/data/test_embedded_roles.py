"""Two drawn texts: the same every time, and each guessed best from itself."""

from collections import Counter, defaultdict

from reproduction.data.embedded_roles import LENGTH, LETTERS, load_embedded_roles


def share_guessed(teacher, text):
    """Share of letters guessed right by what most often follows the two before."""
    follows = defaultdict(Counter)
    for place in range(2, len(teacher)):
        follows[teacher[place - 2 : place]][teacher[place]] += 1
    guesses = {pair: counts.most_common(1)[0][0] for pair, counts in follows.items()}
    return sum(guesses.get(text[n - 2 : n]) == text[n] for n in range(2, len(text))) / (len(text) - 2)


def test_a_role_is_guessed_best_from_itself_and_better_than_blindly_from_the_other():
    first, second = load_embedded_roles().texts.values()
    assert len(first) == len(second) == LENGTH
    for own, other in ((first, second), (second, first)):
        learnt, borrowed = share_guessed(own[:15_000], own[15_000:]), share_guessed(other, own[15_000:])
        blind = max(Counter(own).values()) / LENGTH
        assert learnt > borrowed + 0.1
        assert borrowed > blind + 0.05


def test_it_is_the_same_every_time_and_says_what_it_is():
    roles = load_embedded_roles()
    assert roles.texts == load_embedded_roles().texts
    assert roles.alphabet == LETTERS
    assert "drawn letter by letter" in roles.source
