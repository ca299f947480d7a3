import type { PackedTrace } from "storage/api";
import { nextTurn } from "storage/next-turn";
import type { Span } from "wire/model";
import { z } from "zod";
import { spansOf } from "../../service/spans-of.ts";
import { spanJson } from "../span-json.ts";
import { defineTool, type Tool } from "../tool.ts";
import { traceArguments, traceOf } from "./trace-argument.ts";

/** Number of spans to check before other requests get a turn. */
const spansPerTurn = 2_000;

/** Maximum number of error spans that are held as JSON before the budget shortens the answer. */
const mostErrors = 500;

/**
 * Finds the spans that a tool asks for, and counts them. Spans are unpacked one by one, and at most `most` are kept.
 */
async function collect(trace: PackedTrace, most: number, isAsked: (span: Span) => boolean) {
  const spans: Span[] = [];
  let count = 0;
  let looked = 0;
  for (const span of spansOf(trace.spans)) {
    if (isAsked(span)) {
      count++;
      if (spans.length < most) {
        spans.push(span);
      }
    }
    if (++looked % spansPerTurn === 0) {
      await nextTurn();
    }
  }
  return { spans, count };
}

// A span id from an assistant, in any case. Leading zeros may be missing.
const spanId = z
  .string()
  .regex(/^[0-9a-fA-F]{1,16}$/)
  .transform((text) => text.toLowerCase().padStart(16, "0"));

/**
 * `get_span_details` {"trace_id": "71a8…", "span_ids": ["a3"]} → whole spans. `error` names ids that the trace lacks;
 * the answer still has the other spans.
 */
export const spanDetailsTool: Tool = defineTool({
  name: "get_span_details",
  title: "Whole spans",
  description:
    "Everything that spans hold: attributes, resource, events with their stack traces, links, status. Ask for the few spans that matter.",
  weight: "trace",
  input: {
    ...traceArguments,
    span_ids: z
      .array(spanId)
      .min(1)
      .max(100)
      .describe("As get_trace_topology writes them, the last part of path."),
  },
  async answer({ trace_id, span_ids }, context) {
    const trace = await traceOf(trace_id, context);
    const asked = new Set(span_ids);
    // Twice as many: in Zipkin's model a client span and a server span may share an id.
    const { spans } = await collect(trace, asked.size * 2, (span) => asked.has(span.spanId));
    const found = new Set(spans.map((span) => span.spanId));
    const missing = [...asked].filter((id) => !found.has(id));
    return {
      fields: {
        trace_id: trace.traceId,
        link: context.link(`/trace/${trace.traceId}`),
        ...(missing.length === 0 ? {} : { error: `not in this trace: ${missing.join(", ")}` }),
        spans: spans.map(spanJson),
      },
      lists: ["spans"],
      rest: "ask for fewer spans, or raise budget",
    };
  },
});

/**
 * `get_trace_errors` {"trace_id": "71a8…"} → spans with the status error, with their events, earliest first.
 * `total_error_count` includes spans that `mostErrors` or the budget left out.
 */
export const traceErrorsTool: Tool = defineTool({
  name: "get_trace_errors",
  title: "Errors of a trace",
  description:
    "All spans of a trace whose status is an error, whole, with the exceptions and stack traces in their events, earliest first.",
  weight: "trace",
  input: traceArguments,
  async answer({ trace_id }, context) {
    const trace = await traceOf(trace_id, context);
    const { spans, count } = await collect(trace, mostErrors, ({ status }) => status.code === "error");
    spans.sort((a, b) => Number(a.startTimeUnixNano - b.startTimeUnixNano));
    return {
      fields: {
        trace_id: trace.traceId,
        link: context.link(`/trace/${trace.traceId}`),
        total_error_count: count,
        spans: spans.map(spanJson),
      },
      lists: ["spans"],
      rest: "raise budget, or ask get_span_details for single spans of get_trace_topology with status Error",
    };
  },
});
