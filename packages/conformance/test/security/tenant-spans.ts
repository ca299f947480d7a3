import { randomBytes } from "node:crypto";

/**
 * The spans of a tenant: two services, a call between them, and a marker in every place where a span can have a text.
 */
export interface TenantSpans {
  /** A text that is in no request: an answer that contains it shows this tenant's data. */
  readonly marker: string;
  /** A service that only this tenant has. */
  readonly ownService: string;
  /** A trace that only this tenant has. */
  readonly ownTraceId: string;
  /** A request of OTLP over HTTP, JSON. */
  readonly otlpJson: object;
}

/** The service that all tenants have. */
export const sharedService = "shop";
/** An attribute that all tenants have. */
export const sharedAttribute = "door";

const nanosPerMs = 1_000_000n;

function attribute(key: string, text: string) {
  return { key, value: { stringValue: text } };
}

/**
 * @param sharedTraceId a trace that all tenants have @param agoMs milliseconds from the start of the spans to now; 0 by
 * default
 */
export function tenantSpans(tenant: string, sharedTraceId: string, agoMs = 0): TenantSpans {
  const hex = randomBytes(6).toString("hex");
  const marker = `mark${tenant}${hex}`;
  const ownService = `own-${tenant}-${hex}`;
  const ownTraceId = randomBytes(16).toString("hex");
  const begin = BigInt(Date.now() - agoMs) * nanosPerMs;
  const span = (traceId: string, spanId: string, parentSpanId: string, ms: number) => ({
    ...{ traceId, spanId, parentSpanId, kind: parentSpanId === "" ? 3 : 2 },
    name: `get ${marker}`,
    startTimeUnixNano: String(begin),
    endTimeUnixNano: String(begin + BigInt(ms) * nanosPerMs),
    attributes: [
      attribute(sharedAttribute, marker),
      attribute(`key.${marker}`, "x"),
      attribute("gen_ai.request.model", marker),
    ],
    events: [
      { name: `event ${marker}`, timeUnixNano: String(begin), attributes: [attribute("e", marker)] },
      {
        name: "exception",
        timeUnixNano: String(begin),
        attributes: [attribute("exception.type", marker), attribute("exception.message", marker)],
      },
    ],
    status: { code: 2, message: marker },
  });
  const traces = [sharedTraceId, ownTraceId];
  const resourceSpans = (service: string, spanId: string, parent: string, ms: number) => ({
    resource: { attributes: [attribute("service.name", service), attribute("place", marker)] },
    scopeSpans: [
      { scope: { name: marker }, spans: traces.map((traceId) => span(traceId, spanId, parent, ms)) },
    ],
  });
  const root = "00000000000000a1";
  return {
    marker,
    ownService,
    ownTraceId,
    otlpJson: {
      resourceSpans: [
        resourceSpans(sharedService, root, "", 20),
        resourceSpans(ownService, "00000000000000a2", root, 10),
      ],
    },
  };
}
