import { parseTraceQl, printTraceQl } from "traceql";
import { expect, test } from "vitest";
import { instantQuery } from "./instant-query.ts";

test.each([
  ["{ } | rate()", "({ } | count_over_time()) / 60."],
  ["{ } | rate() by(.a) | topk(2)", "({ } | count_over_time() by(.a)) / 60. | topk(2)"],
  ["{ } | count_over_time() by(.a)", "{ } | count_over_time() by(.a)"],
  [
    "({ .a = 1 } | rate()) / ({ } | rate())",
    "(({ .a = 1 } | count_over_time()) / 60.) / (({ } | count_over_time()) / 60.)",
  ],
])("%s over a minute: %s", (text, instant) => {
  const expected = printTraceQl(parseTraceQl(instant));
  expect(printTraceQl(instantQuery(parseTraceQl(text), 60))).toBe(expected);
});
