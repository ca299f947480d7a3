import type { Command } from "../command.ts";
import { wantsTable } from "../common-options.ts";
import { readEvents } from "../event-stream.ts";
import { durationText, timeText } from "../output/figures.ts";
import { cutTo, shownText } from "../output/table.ts";
import { isClosed, write } from "../output/write.ts";
import { countOf } from "../time-range.ts";

/** A span of the stream. */
interface TailedSpan {
  readonly traceID: string;
  readonly service: string;
  readonly operation: string;
  /** Start of the span in microseconds since the Unix epoch. */
  readonly start: number;
  /** Duration of the span in microseconds. */
  readonly duration: number;
  readonly error: boolean;
}

/** Data of an event. `spans`: a list of spans. `skipped`: the number of spans that the server left out, and why. */
interface TailEvent {
  readonly spans?: readonly TailedSpan[] | number;
  readonly reason?: string;
}

/** A line such as `12:00:00.123    12.3 ms  error  71a8…  cart GET /cart`. */
function lineOf(span: TailedSpan): string {
  const time = timeText(span.start / 1_000).slice(11);
  const text = shownText(`${span.service} ${span.operation}`);
  return `${time}  ${durationText(span.duration).padStart(9)}  ${span.error ? "error" : "     "}  ${span.traceID}  ${text}`;
}

/**
 * `tracing tail` ends with 0 after `--limit` spans or when the reader of its output is gone, with 130 when the user
 * stops it, and with 1 when the server ends the stream.
 */
export const tailCommand: Command = {
  name: "tail",
  operands: "",
  operandCounts: [0, 0],
  meaning: "Show spans as they arrive.",
  options: {
    service: { type: "string", short: "s", placeholder: "name", meaning: "Spans of this service only." },
    operation: { type: "string", placeholder: "name", meaning: "Spans of this name only." },
    tag: {
      type: "string",
      short: "t",
      placeholder: "key=value",
      meaning: "Spans with this attribute only.",
    },
    "min-duration": {
      type: "string",
      placeholder: "duration",
      meaning: "Spans that last at least so long: 1.5s, 200ms.",
    },
    error: { type: "boolean", meaning: "Failed spans only." },
    limit: { type: "string", short: "n", placeholder: "count", meaning: "End after so many spans." },
  },
  examples: ["tracing tail --service cart --error", "tracing tail --min-duration 1s -o json | jq .traceID"],
  async run(context) {
    const { client, errors, output, signal, values } = context;
    let left =
      values.text("limit") === "" ? Number.POSITIVE_INFINITY : countOf(values, "limit", 1_000_000_000);
    const response = await client.open(
      "/api/analysis/v1/tail",
      {
        service: values.text("service") || undefined,
        operation: values.text("operation") || undefined,
        tag: values.text("tag").replace("=", ":") || undefined,
        minDuration: values.text("min-duration") || undefined,
        error: values.flag("error") ? "true" : undefined,
      },
      "text/event-stream",
    );
    const isTable = wantsTable(values, context);
    for await (const { event, data } of readEvents(response, signal)) {
      const { spans = [], reason = "" } = JSON.parse(data) as TailEvent;
      if (event === "skipped") {
        await write(errors, `warning: ${String(spans)} spans are left out: ${reason}\n`);
      } else if (event === "spans" && typeof spans !== "number") {
        for (const span of spans.slice(0, left)) {
          const line = isTable ? cutTo(lineOf(span), output.columns) : JSON.stringify(span);
          await write(output, `${line}\n`);
          left--;
        }
      }
      if (left <= 0 || isClosed(output)) {
        return 0;
      }
    }
    return 0;
  },
};
