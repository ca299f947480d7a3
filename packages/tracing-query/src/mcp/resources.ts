import type { Resource } from "assistant-tools/tool";

/** Answers that people put into a conversation by their URI; each is the answer of a tool. */
export const resources: readonly Resource[] = [
  {
    name: "services",
    title: "Services",
    description: "Names of all services that sent spans.",
    uri: "tracing://services",
    tool: "get_services",
  },
  {
    name: "operations",
    title: "Operations of a service",
    description: "Names and kinds of the spans of a service.",
    uri: "tracing://services/{service_name}/operations",
    tool: "get_span_names",
  },
  {
    name: "trace",
    title: "Outline of a trace",
    description: "The spans of a trace as a tree, without attributes.",
    uri: "tracing://traces/{trace_id}",
    tool: "get_trace_topology",
  },
  {
    name: "trace_errors",
    title: "Errors of a trace",
    description: "Failed spans of a trace with their exceptions.",
    uri: "tracing://traces/{trace_id}/errors",
    tool: "get_trace_errors",
  },
  {
    name: "trace_critical_path",
    title: "Critical path of a trace",
    description: "What a trace waited for.",
    uri: "tracing://traces/{trace_id}/critical-path",
    tool: "get_critical_path",
  },
];
