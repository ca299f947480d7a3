import { describe, expect, test } from "vitest";
import { parseSearchParams } from "./search-params.ts";

const nowMs = 1_795_227_853_859;
const parse = (text: string) => parseSearchParams(new URLSearchParams(text), nowMs);

test("the defaults are the last 48 hours and 100 traces", () => {
  expect(parse("service=s")).toEqual({
    traceIds: [],
    query: {
      service: "s",
      operation: "",
      tags: new Map(),
      startTimeMinUnixNano: 1_795_055_053_859_000_000n,
      startTimeMaxUnixNano: 1_795_227_853_859_000_000n,
      durationMinNano: 0n,
      durationMaxNano: 0n,
      limit: 100,
    },
  });
});

test("every parameter", () => {
  const { query, traceIds } = parse(
    "service=s%20t&operation=GET+%2Fx&start=1000&end=-5&limit=20&minDuration=1.5ms&maxDuration=2h&lookback=1h" +
      "&tag=http.url:http://x:80/&tag=a:&tags=%7B%22error%22:%22true%22,%22b%22:null%7D&tags=null",
  );
  expect(query).toEqual({
    service: "s t",
    operation: "GET /x",
    tags: new Map([
      ["http.url", "http://x:80/"],
      ["a", ""],
      ["error", "true"],
      ["b", ""],
    ]),
    startTimeMinUnixNano: 1_000_000n,
    startTimeMaxUnixNano: -5_000n,
    durationMinNano: 1_500_000n,
    durationMaxNano: 7_200_000_000_000n,
    limit: 20,
  });
  expect(traceIds).toEqual([]);
});

test("trace ids need no service, and count once", () => {
  const id = "0000000000000000000000000000dead";
  expect(parse(`traceID=DEAD&traceID=1&traceID=${id}`).traceIds).toEqual([id, `${"0".repeat(31)}1`]);
});

test.each(["limit=0", "limit=-7"])("%s is the default", (text) => {
  expect(parse(`service=s&${text}`).query.limit).toBe(100);
});

test("a time past 64 bits of nanoseconds is the last one there is", () => {
  const { query } = parse("service=s&start=-9223372036854775808&end=9223372036854775807");
  expect(query.startTimeMinUnixNano).toBe(-(2n ** 63n));
  expect(query.startTimeMaxUnixNano).toBe(2n ** 63n - 1n);
});

describe("refuses", () => {
  test.each([
    ["", "parameter 'service' is required"],
    ["service=", "parameter 'service' is required"],
    ["start=a", `unable to parse param 'start': strconv.ParseInt: parsing "a": invalid syntax`],
    ["end=1.5", `unable to parse param 'end': strconv.ParseInt: parsing "1.5": invalid syntax`],
    [
      "end=9223372036854775808",
      `unable to parse param 'end': strconv.ParseInt: parsing "9223372036854775808": value out of range`,
    ],
    ["tag=a", "malformed 'tag' parameter, expecting key:value, received: a"],
    ["tag=", "malformed 'tag' parameter, expecting key:value, received: "],
    ["tags=", "malformed 'tags' parameter, cannot unmarshal JSON: unexpected end of JSON input"],
    [
      "tags={x",
      "malformed 'tags' parameter, cannot unmarshal JSON: expected property name or '}' in JSON at position 1 (line 1 column 2)",
    ],
    ["tags=xyz", "malformed 'tags' parameter, cannot unmarshal JSON: unexpected token 'x'"],
    [
      "tags=[]",
      "malformed 'tags' parameter, cannot unmarshal JSON: json: cannot unmarshal array into Go value of type map[string]string",
    ],
    [
      'tags={"a":1}',
      "malformed 'tags' parameter, cannot unmarshal JSON: json: cannot unmarshal number into Go value of type string",
    ],
    [
      'tags={"a":true}',
      "malformed 'tags' parameter, cannot unmarshal JSON: json: cannot unmarshal bool into Go value of type string",
    ],
    [
      'tags={"a":{}}',
      "malformed 'tags' parameter, cannot unmarshal JSON: json: cannot unmarshal object into Go value of type string",
    ],
    ["limit=a", `strconv.ParseInt: parsing "a": invalid syntax`],
    ["limit=2147483648", `strconv.ParseInt: parsing "2147483648": value out of range`],
    ["minDuration=3", `unable to parse param 'minDuration': time: missing unit in duration "3"`],
    ["maxDuration=x", `unable to parse param 'maxDuration': time: invalid duration "x"`],
    ["traceID=zz", `cannot parse traceID param: strconv.ParseUint: parsing "zz": invalid syntax`],
    ["service=s&minDuration=2s&maxDuration=1s", "'maxDuration' should be greater than 'minDuration'"],
  ])("%j", (text, message) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: "QUERY_BAD_PARAMETER", message }));
  });

  test("in the public model's order", () => {
    const wrong = [
      "start=a",
      "end=a",
      "tag=a",
      "tags=a",
      "limit=a",
      "minDuration=a",
      "maxDuration=a",
      "traceID=z",
    ];
    const complaints = wrong.map((_, index) => {
      try {
        return parse(wrong.slice(index).reverse().join("&"));
      } catch (error) {
        return String(error);
      }
    });
    const names = [
      "'start'",
      "'end'",
      "'tag' parameter",
      "'tags' parameter",
      "ParseInt",
      "'minDuration'",
      "'maxDuration'",
      "traceID",
    ];
    expect(complaints).toEqual(names.map((name) => expect.stringContaining(name)));
  });
});
