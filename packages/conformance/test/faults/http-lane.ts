import { Agent, request } from "node:http";

/** The answer to a request over HTTP. */
export interface HttpEnd {
  readonly status: number;
  /** "" when absent. */
  readonly retryAfter: string;
}

/** One connection for HTTP requests, one after another. The lane never retries. */
export class HttpLane {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #deadlineMs: number;

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  /** @throws Error when the connection ends before the answer is complete */
  async post(url: string, contentType: string, body: Buffer): Promise<HttpEnd> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpEnd>();
    const call = request(
      url,
      {
        method: "POST",
        agent: this.#agent,
        headers: { "Content-Type": contentType, "Content-Length": body.length },
        signal: AbortSignal.timeout(this.#deadlineMs),
      },
      (response) => {
        response.resume();
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: response.headers["retry-after"] ?? "",
          }),
        );
        response.on("close", () => reject(new Error("the answer was cut")));
      },
    );
    call.on("error", reject);
    call.end(body);
    return await promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}
