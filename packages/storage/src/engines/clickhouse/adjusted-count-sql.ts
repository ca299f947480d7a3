/** `ot=…` of a `tracestate`, and the threshold in it: the expressions of `adjustedCount` in `wire/model`. */
const entryOfOtel = "extract(trace_state, '(?:^|,)[ \\\\t]*ot=([^,]*)')";
const digits = `extract(${entryOfOtel}, '(?:^|;)th:([0-9a-f]{1,14})[ \\\\t]*(?:;|$)')`;

const allTraces = "72057594037927936";
const noParent = "toFixedString('', 8)";

/** The threshold is a big-endian number of 7 bytes. */
const threshold = `reinterpretAsUInt64(reverse(unhex(rightPad(${digits}, 14, '0'))))`;

/** The value of a span's attribute, without the letter of its type; "" when there is none. */
function tag(name: string): string {
  const text = `'\\xFF${name}\\xFE'`;
  const from = `position(attribute_text, ${text}) + ${name.length + 3}`;
  return `if(position(attribute_text, ${text}) = 0, '', substring(attribute_text, ${from}, position(attribute_text, '\\xFF', toUInt64(${from})) - (${from})))`;
}

function samplerTags(prefix: string): string {
  const type = tag(`${prefix}sampler.type`);
  const param = tag(`${prefix}sampler.param`);
  return `${type} = 'probabilistic', toFloat64OrZero(${param}), ${type} = 'const', toFloat64(${param} = 'true')`;
}

/** 0 when no tag tells it. Few spans get here, because most have no such tag. */
const probability = `multiIf(${tag("sampling.probability")} != '', toFloat64OrZero(${tag("sampling.probability")}), ${samplerTags("")}, ${samplerTags("jaeger.")}, 0)`;

function inFourDigits(count: string): string {
  return `arrayMap(c -> round(c, 3 - toInt8(floor(log10(c)))), [${count}])[1]`;
}

const byThreshold = inFourDigits(`${allTraces} / (${allTraces} - ${threshold})`);
const byProbability = `arrayMap(p -> if(p > 0 AND p <= 1, ${inFourDigits("1 / p")}, 0), [${probability}])[1]`;

/**
 * The number of spans that a row of `spans` stands for, a Float64; 0 when nothing tells. A span without `tracestate`
 * that is no root costs two comparisons. `adjustedCount` of `wire/model` explains which fields tell it.
 */
export const adjustedCountSql = `multiIf(
  trace_state != '' AND notEmpty(${digits}), ${byThreshold},
  parent_span_id = ${noParent} AND position(attribute_text, 'sampl') > 0, ${byProbability},
  0)`;

/** The number that a span counts as: 1 when it does not tell what it stands for. @param count an expression */
export function countOfSql(count: string): string {
  return `if(${count} = 0, 1, ${count})`;
}
