import { samplingJson, serviceParameter } from "wire/sampling";
import type { SamplingProvider } from "../sampling/sampling-provider.ts";
import { answerText } from "./http-error.ts";
import type { HttpAnswer, HttpRequestHead } from "./http-messages.ts";
import { requestPath } from "./request-path.ts";

/**
 * Answers `GET /api/sampling?service=…` with the service's strategy as JSON, and `GET
 * /api/baggageRestrictions?service=…` with the error of Jaeger's collector. A missing or repeated `service`
 * parameter gets 400, other methods 405 without a body, other paths 404.
 */
export function answerSampling(
  provider: SamplingProvider,
  request: Pick<HttpRequestHead, "method" | "url">,
  response: HttpAnswer,
): void {
  const url = request.url ?? "";
  const path = requestPath(request);
  if (path !== "/api/sampling" && path !== "/api/baggageRestrictions") {
    answerText(response, 404, "404 page not found");
  } else if (request.method !== "GET") {
    response.writeHead(405, { "Content-Length": 0 }).end();
  } else {
    const service = serviceParameter(url);
    if (service === undefined) {
      answerText(response, 400, "'service' parameter must be provided once");
    } else if (path === "/api/sampling") {
      const json = Buffer.from(samplingJson(provider.strategyFor(service)));
      response
        .writeHead(200, { "Content-Type": "application/json", "Content-Length": json.length })
        .end(json);
    } else {
      answerText(response, 500, "collector error: baggage restrictions not implemented");
    }
  }
}
