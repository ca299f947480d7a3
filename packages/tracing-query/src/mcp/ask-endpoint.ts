import type { Endpoint } from "../http/endpoint.ts";
import { TypedAnswer } from "../http/send-pieces.ts";
import type { ToolContext } from "./tool.ts";

type Value = string | number | boolean | undefined;

/** URL parameters. Undefined values are left out. */
function paramsOf(
  values: Readonly<Record<string, Value | Readonly<Record<string, string>>>>,
): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) {
      params.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
    }
  }
  return params;
}

/**
 * Calls an endpoint of the HTTP API without an HTTP request. The tool gets the endpoint's checks, limits and answer.
 * @param endpoint an endpoint whose answer is JSON of a bounded size
 * @param path decoded path parts of the endpoint
 */
export async function askEndpoint(
  endpoint: Endpoint,
  values: Parameters<typeof paramsOf>[0],
  { read }: ToolContext,
  path: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>> {
  const answer = await endpoint({
    method: "GET",
    params: paramsOf(values),
    accept: "application/json",
    contentType: "",
    read,
    pathPart: (name) => path[name] ?? "",
    body: async () => Buffer.alloc(0),
  });
  if (answer instanceof TypedAnswer) {
    throw new Error("the endpoint answers with a media type of its own");
  }
  let text = "";
  for await (const piece of answer) {
    text += typeof piece === "string" ? piece : Buffer.from(piece as Uint8Array).toString();
  }
  return JSON.parse(text);
}
