import { z } from "zod";
import { ServerError } from "../../core/errors.ts";
import { defineModule } from "../../core/modules/module.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { HttpHandler } from "../../http/handler.ts";
import { getHeader, removeHeaders } from "../../http/header-list.ts";
import { compileHeaderTemplate, compileTemplate } from "../../http/placeholders.ts";

const configSchema = z.strictObject({
  status_code: z
    .union([z.int(), z.string()])
    .nullish()
    .describe("Status, as number or text; placeholders allowed (200)."),
  headers: z
    .record(z.string(), z.array(z.string()).nullable())
    .nullish()
    .describe("Response headers; placeholders allowed."),
  body: z.string().nullish().describe("Response body; placeholders allowed."),
  close: z.boolean().nullish().describe("Whether the connection is closed afterwards."),
  abort: z.boolean().nullish().describe("Cuts the connection without an answer."),
});

function contentTypeOf(body: string): string {
  if (/^\s*[{[]/.test(body)) {
    try {
      JSON.parse(body);
      return "application/json";
    } catch {
      // looks like JSON and is not
    }
  }
  return "text/plain; charset=utf-8";
}

function statusOf(text: string): number {
  if (!/^\d{3}$/.test(text) || Number(text) < 200) {
    throw new ServerError(
      "HTTP_RESPONSE",
      `status_code ${JSON.stringify(text)} is not a final status, 200 to 999`,
    );
  }
  return Number(text);
}

/** Answers every request the same way. Source: the public model (Caddy 2.11) */
export const staticResponse = defineModule({
  id: "http.handlers.static_response",
  config: configSchema,
  provision(config): HttpHandler {
    const statusText = String(config.status_code ?? "") || "200";
    const status = compileTemplate(statusText);
    if (!statusText.includes("{")) {
      statusOf(statusText);
    }
    // The length is ours to say.
    const fields = Object.entries(config.headers ?? {}).filter(
      ([name]) => !/^(content-length|transfer-encoding)$/i.test(name),
    );
    const names = new Set(fields.map(([name]) => name.toLowerCase()));
    const headers = fields.flatMap(([name, values]) =>
      (values ?? []).map((value) => ({ name, value: compileHeaderTemplate(value) })),
    );
    const body = compileTemplate(config.body ?? "");
    const close = config.close === true;

    function answer(exchange: Exchange): void {
      const { responseHeaders } = exchange;
      const bytes = Buffer.from(body(exchange), "utf8");
      removeHeaders(responseHeaders, (name) => names.has(name) || name === "content-length");
      for (const { name, value } of headers) {
        responseHeaders.push(name, value(exchange));
      }
      if (bytes.length > 0 && getHeader(responseHeaders, "content-type") === undefined) {
        responseHeaders.push("Content-Type", contentTypeOf(bytes.toString("utf8")));
      }
      const finalStatus = statusOf(status(exchange));
      if (finalStatus !== 204 && finalStatus !== 304) {
        responseHeaders.push("Content-Length", String(bytes.length));
      }
      if (close) {
        exchange.stream.closeAfterwards();
      }
      exchange.respond(finalStatus, bytes);
    }

    return {
      handle(exchange) {
        if (config.abort === true) {
          exchange.stream.destroy();
        } else {
          answer(exchange);
        }
      },
    };
  },
});
