import { expect, test } from "vitest";
import { formatPrintf } from "./go-printf.ts";

// Go prints the same.
test.each<[format: string, values: unknown[], printed: string]>([
  [
    "%6.2f|%-8s|%08.3f|%+d|%x|% x|%#x",
    [3.21987, "ab", 3.21987, 5, "hi", "hi", 255],
    "  3.22|ab      |0003.220|+5|6869|68 69|0xff",
  ],
  ["%q|%v|%5t|%c|%U|%X", ["a\tb", null, true, 228, 228, "hi"], '"a\\tb"|<nil>| true|ä|U+00E4|6869'],
  [
    "%e|%g|%G|%E|%.3g|%g|%g",
    [1234.5678, 1e21, 1e-7, 1.5, 1234.5, 0.0001, 0.00001],
    "1.234568e+03|1e+21|1E-07|1.500000E+00|1.23e+03|0.0001|1e-05",
  ],
  [
    "%3d|%-3d|%03d|% d|%o|%b|%#o|%#b|%O|%q",
    [5, 5, -5, 5, 8, 5, 8, 5, 8, 65],
    "  5|5  |-05| 5|10|101|010|0b101|0o10|'A'",
  ],
  [
    "%5s|%.2s|%-5s|%05s|%q|%#q|%+q",
    ["abc", "abc", "é", "x", "é\n", "a", "é"],
    '  abc|ab|é    |0000x|"é\\n"|`a`|"\\u00e9"',
  ],
  [
    "%s|%v|%d|%q",
    [
      ["x", "a"],
      ["a", null],
      [1, 2],
      ["a", "b"],
    ],
    '[x a]|[a <nil>]|[1 2]|["a" "b"]',
  ],
  [
    "%v|%#v|%T",
    [new Map([["a", 1]]), new Map([["a", "b"]]), 1.5],
    'map[a:1]|map[string]interface {}{"a":"b"}|float64',
  ],
  ["%[2]d %[1]d", [1, 2], "2 1"],
  ["%*d|%-*d|%.*f", [5, 42, 3, 1, 2, 3.21987], "   42|1  |3.22"],
  [
    "%d%%|%d|%t|%z|%s",
    [5, "x", "y", "z", 1.5],
    "5%|%!d(string=x)|%!t(string=y)|%!z(string=z)|%!s(float64=1.5)",
  ],
  [
    "%.*f|%.*s|%*d|%.3U",
    [-2, 1.5, -1, "abc", "x", 7, 65],
    "%!(BADPREC)1.500000|%!(BADPREC)abc|%!(BADWIDTH)7|U+0041",
  ],
  ["%.5x|%.f|%.2q", [255, 2.5, "abc"], '000ff|2|"ab"'],
  ["%.90g", [0.0001], "0.000100000000000000004792173602385929598312941379845142364501953125"],
  [
    "%.0f|%.0f|%.0f|%.2f|%.2f|%.1f|%.1f|%.1f",
    [0.5, 1.5, 2.5, 0.125, 0.375, -0.25, 0.35, 1e21],
    "0|2|2|0.12|0.38|-0.2|0.3|1000000000000000000000.0",
  ],
  [
    "%.0e|%.0e|%.0e|%.1e|%.2g|%.1g|%.3g",
    [2.5, 25, 9.5, 1.25, 0.125, 35, 1e21],
    "2e+00|2e+01|1e+01|1.2e+00|0.12|4e+01|1e+21",
  ],
  ["%s %d", ["a"], "a %!d(MISSING)"],
  ["a", [1, "b"], "a%!(EXTRA int=1, string=b)"],
  ["a%", [], "a%!(NOVERB)"],
])("%s of %j", (format, values, printed) => {
  expect(formatPrintf(format, values)).toBe(printed);
});

test.each<[string, unknown[]]>([
  ["%99999999d", [1]],
  ["%.500000000d", [1]],
  ["%.*d", [500_000_000, 1]],
  ["%-*d", [500_000_000, 1]],
])("%s: a size beyond all reason is cut to 1,000 characters", (format, values) => {
  expect(formatPrintf(format, values)).toHaveLength(1000);
});

test("a number near zero is written with 100 digits at most", () => {
  expect(formatPrintf("%.100g", [0.0001])).toMatch(/^0\.0001/);
});
