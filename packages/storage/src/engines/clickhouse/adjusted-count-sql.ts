/** `ot=…` of a `tracestate`, up to the threshold in it: the expressions of `adjustedCount` in `wire/model`. */
const beforeThreshold = "(?:^|,)[ \\\\t]*ot=(?:[^,]*;)?th:";
const hasThreshold = `trace_state != '' AND match(trace_state, '${beforeThreshold}[0-9a-f]')`;
const digits = `extract(trace_state, '${beforeThreshold}([0-9a-f]{1,14})[ \\\\t]*(?:[;,]|$)')`;

const allTraces = "72057594037927936";
const noParent = "toFixedString('', 8)";

/** The threshold is a big-endian number of 7 bytes. */
const threshold = `reinterpretAsUInt64(reverse(unhex(rightPad(${digits}, 14, '0'))))`;
const countByThreshold = `if(${digits} = '', 0, ${allTraces} / (${allTraces} - ${threshold}))`;

/** Tags with a probability, each as it begins in a text of attributes; the letter of its type follows. */
const samplerTags = [
  "sampling.probability",
  "sampler.type",
  "sampler.param",
  "jaeger.sampler.type",
  "jaeger.sampler.param",
]
  .map((name) => `'${name}\\xFE'`)
  .join(", ");
const valuesOfTags = `arrayMap(tag -> substring(arrayFirst(each -> startsWith(each, tag), splitByChar('\\xFF', attribute_text)), length(tag) + 2), [${samplerTags}])`;
const typeAndParam = (type: string, param: string) =>
  `${type} = 'probabilistic', ${param}, ${type} = 'const', if(${param} = 'true', '1', '')`;
const countByTags = `arrayMap(tags -> 1 / toFloat64OrZero(multiIf(tags[1] != '', tags[1], ${typeAndParam("tags[2]", "tags[3]")}, ${typeAndParam("tags[4]", "tags[5]")}, '')), [${valuesOfTags}])[1]`;

/** Rounded to four digits; 0 for a result that is no count, such as the infinity of the probability 0. */
function inFourDigits(count: string): string {
  return `arrayMap(c -> if(c >= 1 AND c < 1e300, round(c, 3 - toInt8(floor(log10(c)))), 0), [${count}])[1]`;
}

/**
 * The number of spans that a row of `spans` with a parent stands for, a Float64; 0 when nothing tells. A span without
 * `tracestate` costs one comparison.
 */
export const adjustedCountOfChildSql = inFourDigits(`if(${hasThreshold}, ${countByThreshold}, 0)`);

/**
 * The number of spans that any row of `spans` stands for, as {@link adjustedCountOfChildSql}: tags of a root tell it too.
 * `adjustedCount` of `wire/model` explains which fields tell it.
 *
 * Views plan it anew for each insert: each function in it costs a tenth of a millisecond then, more than its work.
 */
export const adjustedCountSql = inFourDigits(
  `multiIf(${hasThreshold}, ${countByThreshold}, parent_span_id = ${noParent} AND position(attribute_text, 'sampl') > 0, ${countByTags}, 0)`,
);

/** The number that a span counts as: 1 when it does not tell what it stands for. @param count an expression */
export function countOfSql(count: string): string {
  return `if(${count} = 0, 1, ${count})`;
}
