import { nextTurn } from "storage/next-turn";
import {
  type AttributePlace,
  allows,
  isAt,
  type LinkPattern,
  type Lookup,
  linkOf,
  type ValueLink,
} from "wire/link-template";
import { type Attribute, lengthNano, type Span } from "wire/model";
import { attributeText } from "wire/rows";
import { z } from "zod";
import { QueryError } from "../../query-error.ts";
import { spansOf } from "../../service/spans-of.ts";
import { defineTool, type Tool } from "../tool.ts";
import { traceArguments, traceOf } from "./trace-argument.ts";

/** Maximum number of links in one answer before the budget shortens it. */
const mostLinks = 1_000;

/** Number of spans to read before other requests get a turn. */
const spansPerTurn = 2_000;

const microsOf = (nano: bigint) => String(nano / 1_000n);

function valueIn(attributes: readonly Attribute[], name: string): string | undefined {
  const found = attributes.find(({ key }) => key === name);
  return found === undefined ? undefined : attributeText(found.value);
}

/** Facts about the trace that a pattern may name, as in the UI. */
function factsOf(traceId: string, spans: readonly Span[]): Lookup {
  let start = spans[0]?.startTimeUnixNano ?? 0n;
  let end = start;
  for (const span of spans) {
    const { startTimeUnixNano } = span;
    const endUnixNano = startTimeUnixNano + lengthNano(span);
    if (startTimeUnixNano < start) {
      start = startTimeUnixNano;
    }
    if (endUnixNano > end) {
      end = endUnixNano;
    }
  }
  const root = spans.find(({ parentSpanId }) => parentSpanId === "") ?? spans[0];
  const facts: Readonly<Record<string, string>> = {
    ...{ traceID: traceId, startTime: microsOf(start), endTime: microsOf(end) },
    ...{
      duration: microsOf(end - start),
      traceName: `${root?.resource.serviceName ?? ""}: ${root?.name ?? ""}`,
    },
  };
  return (name) => (Object.hasOwn(facts, name) ? facts[name] : undefined);
}

/**
 * Looks a name up in the span's own fields, then in the attributes of the span and of the spans above it, then in facts
 * about the trace.
 */
function lookupOf(span: Span, byId: ReadonlyMap<string, Span>, facts: Lookup): Lookup {
  const own: Readonly<Record<string, string>> = {
    ...{ spanID: span.spanId, operationName: span.name, serviceName: span.resource.serviceName },
    ...{ startTime: microsOf(span.startTimeUnixNano), duration: microsOf(lengthNano(span)) },
  };
  return (name) => {
    if (name.startsWith("trace.")) {
      return facts(name.slice("trace.".length));
    }
    if (Object.hasOwn(own, name)) {
      return own[name];
    }
    const seen = new Set<string>();
    for (let at: Span | undefined = span; at !== undefined && !seen.has(at.spanId); ) {
      const found = valueIn(at.attributes, name) ?? valueIn(at.resource.attributes, name);
      if (found !== undefined) {
        return found;
      }
      seen.add(at.spanId);
      at = byId.get(at.parentSpanId);
    }
    return facts(name);
  };
}

/** Links of the attributes in one list. */
function linksIn(
  patterns: readonly LinkPattern[],
  place: AttributePlace,
  attributes: readonly Attribute[],
  around: Lookup,
): (ValueLink & { readonly attribute: string })[] {
  return attributes.flatMap(({ key, value }) => {
    const text = attributeText(value);
    const lookup: Lookup = (name) => (name === key ? text : (valueIn(attributes, name) ?? around(name)));
    return patterns
      .filter(
        (each) =>
          isAt(each, place) &&
          allows(each.key, key) &&
          (each.value === undefined || [each.value].flat().map(String).includes(text)),
      )
      .flatMap((pattern) => linkOf(pattern, lookup))
      .map((link) => ({ ...link, attribute: key }));
  });
}

/** The links of a span: of its attributes, its resource and its events. */
function linksOfSpan(patterns: readonly LinkPattern[], span: Span, around: Lookup) {
  return [
    ...linksIn(patterns, "tags", span.attributes, around),
    ...linksIn(patterns, "process", span.resource.attributes, around),
    ...span.events.flatMap(({ attributes }) => linksIn(patterns, "logs", attributes, around)),
  ];
}

/**
 * `get_links` {"trace_id": "71a8…", "span_id": "a3"} → addresses of logs, metrics and profiles, by the link patterns
 * of the UI's configuration:
 *
 * ```
 * {"links": [{"url": "https://logs.example/?trace=71a8…", "text": "Logs", "attribute": "k8s.pod.name"}], …}
 * ```
 */
export const linksTool: Tool = defineTool({
  name: "get_links",
  title: "Logs, metrics and profiles of a trace",
  description:
    "Addresses of logs, metrics, profiles and other pages of a trace or a span, by the link patterns that the operator configured, " +
    "as the UI shows them. Without span_id the links of the trace alone. An empty list: no pattern fits.",
  weight: "trace",
  input: {
    ...traceArguments,
    span_id: z
      .string()
      .regex(/^[0-9a-fA-F]{1,16}$/)
      .optional()
      .describe("Also the links of this span's attributes, resource and events."),
  },
  async answer({ trace_id, span_id }, context) {
    const trace = await traceOf(trace_id, context);
    const patterns = await context.linkPatterns();
    const spans: Span[] = [];
    for (const span of spansOf(trace.spans)) {
      spans.push(span);
      if (spans.length % spansPerTurn === 0) {
        await nextTurn();
      }
    }
    const facts = factsOf(trace.traceId, spans);
    const ofTrace = patterns.filter((each) => isAt(each, "traces")).flatMap((each) => linkOf(each, facts));
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const wanted = span_id?.toLowerCase().padStart(16, "0");
    const span = wanted === undefined ? undefined : byId.get(wanted);
    if (wanted !== undefined && span === undefined) {
      throw new QueryError("QUERY_BAD_PARAMETER", `span_id ${span_id} is not in this trace`, {
        parameter: "span_id",
      });
    }
    const ofSpan = span === undefined ? [] : linksOfSpan(patterns, span, lookupOf(span, byId, facts));
    return {
      fields: {
        trace_id: trace.traceId,
        link: context.link(`/trace/${trace.traceId}`),
        patterns: patterns.length,
        total_count: ofTrace.length + ofSpan.length,
        links: [...ofTrace, ...ofSpan].slice(0, mostLinks),
      },
      lists: ["links"],
      rest: "raise budget",
    };
  },
});
