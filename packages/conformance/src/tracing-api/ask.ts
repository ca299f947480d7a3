import { z } from "zod";

const tag = z.object({ key: z.string(), type: z.string(), value: z.unknown() });

const uiTrace = z.object({
  traceID: z.string(),
  spans: z.array(
    z.object({
      traceID: z.string(),
      spanID: z.string(),
      operationName: z.string(),
      references: z.array(z.object({ refType: z.string(), traceID: z.string(), spanID: z.string() })),
      startTime: z.number(),
      duration: z.number(),
      tags: z.array(tag),
      logs: z.array(z.object({ timestamp: z.number(), fields: z.array(tag) })),
      processID: z.string(),
      warnings: z.array(z.string()).nullable(),
    }),
  ),
  processes: z.record(z.string(), z.object({ serviceName: z.string(), tags: z.array(tag) })),
  warnings: z.array(z.string()).nullable(),
});

/** A trace in the form of the query service's HTTP API. */
export type UiTrace = z.infer<typeof uiTrace>;

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Sends one HTTP request; never follows redirects. */
export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { redirect: "manual", ...init });
  return {
    status: response.status,
    contentType: response.headers.get("content-type") ?? "",
    text: await response.text(),
  };
}

function dataOf(answer: Answer): unknown {
  if (answer.status !== 200) {
    throw new Error(`status ${answer.status}: ${answer.text.slice(0, 200)}`);
  }
  return z.object({ data: z.unknown() }).parse(JSON.parse(answer.text)).data;
}

/** Traces in the envelope of /api/traces. */
export async function askTraces(url: string): Promise<UiTrace[]> {
  return z.array(uiTrace).parse(dataOf(await ask(url)));
}

/** The `data` member of an endpoint's JSON. */
export async function askData(url: string): Promise<unknown> {
  return dataOf(await ask(url));
}
