"""The report on leaving and coming; that the files are equal is tested where they are written."""

from bench.porting import Carried, Step, render


def test_a_file_that_differs_is_told() -> None:
    step = Step(1.24, 0.5, 3.0)
    of = Carried(step, step, Step(2.0, 1.0, None), 12.3, 4_004, True)
    last = render({2_000: of}, "now", False).splitlines()[-1]
    assert last == "| 2,000 | 12 | 4,004 | 1.2 / 0.5 | 3 | 1.2 / 0.5 | 3 | 2.0 / 1.0 | – | yes |"
    output = render({2_000: Carried(step, step, step, 12.3, 4_004, False)}, "now", True)
    assert output.endswith("| NO |")
    assert "With vectors" in output
