import type { Prompt } from "assistant-tools/tool";
import { z } from "zod";

// An argument has at most as many characters as the longest name that the store keeps.
const text = z.string().max(4_096);
const service = text.describe("Name of the service.");

/**
 * Puts an argument in quotes, and escapes quotes in the argument. A user wrote the text, and the assistant could
 * otherwise read it as an instruction.
 */
function quoted(value: string | undefined): string {
  return JSON.stringify(value ?? "");
}

/** Questions that clients offer as commands, such as `/why_slow shop`. Each names the tools and their order. */
export const prompts: readonly Prompt[] = [
  {
    name: "why_slow",
    title: "Why is a service slow?",
    description: "Finds what slow requests of a service have in common and what they wait for.",
    args: z.object({ service }),
    text: (args) =>
      `Find out why requests of the service ${quoted(args.service)} are slow. First get_service_metrics for its operations, ordered by p95. ` +
      "Then find_differences with that operation and `selected.duration_min` near its p95. Then search_traces for some of the slow ones, " +
      "and get_critical_path of two or three. Say what they wait for, with numbers and links, and what you could not find out.",
  },
  {
    name: "why_errors",
    title: "Why does a service fail?",
    description: "Finds the first cause of the errors of a service.",
    args: z.object({ service }),
    text: (args) =>
      `Find out why requests of the service ${quoted(args.service)} fail. First get_exceptions and get_service_metrics ordered by errors. ` +
      "Then search_traces with with_errors, and get_trace_errors of two or three: the first cause is the deepest span with an error, not the root. " +
      "find_differences with `selected.with_errors` tells what failed requests have in common. Answer with numbers and links.",
  },
  {
    name: "explain_trace",
    title: "Explain a trace",
    description: "Tells in words what happened in a trace, what took long and what failed.",
    args: z.object({ trace_id: text.describe("Id of the trace.") }),
    text: (args) =>
      `Explain the trace ${quoted(args.trace_id)}. Use get_trace_topology, get_critical_path and, where there are errors, get_trace_errors; ` +
      "get_span_details only for spans that matter. Lines with `repeated` may be an N+1 pattern. compare_traces without other_trace_id tells what is unusual. " +
      "Answer with the steps in order, where the time went, what failed and why, and the link.",
  },
  {
    name: "what_changed",
    title: "What changed since then?",
    description: "Compares the requests of a service before and after a moment or between two versions.",
    args: z.object({ service, moment: text.describe("RFC 3339, or relative to now: -30m.") }),
    text: (args) =>
      `Tell what changed in the service ${quoted(args.service)} at ${quoted(args.moment)}. Use get_service_metrics with with_curve, then find_differences ` +
      "whose `selected` begins at that moment, beside a time as long before it. Look at service.version. Answer with numbers and links.",
  },
];
