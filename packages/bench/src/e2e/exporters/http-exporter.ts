import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Pool } from "undici";
import { traceService } from "wire/otlp";
import type { ExportAnswer, Exporter, ExporterSettings, ExportRequest } from "./exporter.ts";

const compress = promisify(gzip);
/** Source: OTLP specification, "Retryable Response Codes" of OTLP/HTTP. */
const retryable = new Set([429, 502, 503, 504]);
const maxAnswerBytes = 1024 * 1024;

/** Sends OTLP over HTTP/1.1 with persistent connections and protobuf bodies. */
export class HttpExporter implements Exporter {
  readonly #pool: Pool;
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #gzip: boolean;

  constructor({ endpoint, gzip, connections, timeoutMs }: ExporterSettings) {
    const url = new URL(endpoint);
    this.#pool = new Pool(url.origin, {
      connections,
      pipelining: 1,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxResponseSize: maxAnswerBytes,
    });
    this.#path = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
    this.#gzip = gzip;
    this.#headers = {
      "content-type": "application/x-protobuf",
      ...(gzip ? { "content-encoding": "gzip" } : {}),
    };
  }

  async export({ body }: ExportRequest): Promise<ExportAnswer> {
    try {
      const answer = await this.#pool.request({
        path: this.#path,
        method: "POST",
        headers: this.#headers,
        body: this.#gzip ? await compress(body) : body,
      });
      const answerBody = Buffer.from(await answer.body.arrayBuffer());
      if (answer.statusCode === 200) {
        const { rejectedSpans } = traceService.export.responseDeserialize(answerBody);
        return { outcome: "accepted", rejectedSpans };
      }
      // The body is a `google.rpc.Status`; only its readable text is kept.
      const detail = answerBody
        .toString("latin1")
        .replace(/[^ -~]+/g, " ")
        .trim();
      const said = { reason: `HTTP ${answer.statusCode}`, detail };
      if (!retryable.has(answer.statusCode)) {
        return { outcome: "failed", ...said };
      }
      return { outcome: "refused", ...said, retryAfterMs: retryAfterMs(answer.headers["retry-after"]) };
    } catch (error) {
      const { code, name, message } = error as NodeJS.ErrnoException;
      return { outcome: "unanswered", reason: code ?? name, detail: message };
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

/**
 * Reads `Retry-After`, which holds seconds or a date.
 * @returns milliseconds from now, or undefined when the header is absent or invalid. Source: RFC 9110, section 10.2.3
 */
function retryAfterMs(header: string | string[] | undefined): number | undefined {
  if (typeof header !== "string") {
    return undefined;
  }
  if (/^\d+$/.test(header)) {
    return Number(header) * 1000;
  }
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
