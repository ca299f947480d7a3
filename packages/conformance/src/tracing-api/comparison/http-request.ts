import { request } from "node:http";

/**
 * The response, with enough detail to compare two servers. Times, lengths and names of servers are left out, because
 * they always differ.
 */
export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** Sends one request with exactly these headers, Host and the length; `fetch` would add further headers. */
export function httpRequest(
  address: string,
  path: string,
  {
    method = "GET",
    headers = {},
    body,
    timeoutMs = 20_000,
  }: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Uint8Array;
    readonly timeoutMs?: number;
  } = {},
): Promise<HttpAnswer> {
  const [host, port] = address.split(":");
  return new Promise((resolve, reject) => {
    const sent = request(
      { host, port, path, method, headers, timeout: timeoutMs, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            contentType: response.headers["content-type"] ?? "",
            body: Buffer.concat(chunks),
          }),
        );
      },
    );
    sent.on("timeout", () => sent.destroy(new Error(`${method} ${path}: no answer within ${timeoutMs} ms`)));
    sent.on("error", reject);
    sent.end(body);
  });
}
