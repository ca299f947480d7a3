import type { Exchange } from "http-engine/exchange";
import type { HeaderList } from "http-engine/header-list";
import { type RequestHeaderOptions, upstreamRequestHeaders } from "./proxy-headers.ts";
import type { WireText } from "./transport/transport.ts";

export interface UpstreamFields {
  /** Must not be changed when `wireText` is set. */
  readonly headers: HeaderList;
  /** Encoded fields; undefined when no later request can reuse them. */
  readonly wireText: WireText | undefined;
}

/** Cached fields, and the options with which they were built. */
interface RememberedFields extends UpstreamFields, RequestHeaderOptions {}

/** True when the cached fields were built with the same options. */
function isFor(remembered: RememberedFields, options: RequestHeaderOptions): boolean {
  return (
    remembered.host === options.host &&
    remembered.upgrade === options.upgrade &&
    remembered.trusted === options.trusted &&
    remembered.expectContinue === options.expectContinue &&
    remembered.hasBody === options.hasBody
  );
}

/**
 * Makes the header fields for an upstream. They are reused when the client sends the same fields again. The cache
 * belongs to the client's connection, and stores the fields of the latest proxy only. A connection that alternates
 * between two proxies computes the fields for each request.
 * @param owner the proxy
 */
export function upstreamFields(
  exchange: Exchange,
  options: RequestHeaderOptions,
  owner: object,
): UpstreamFields {
  const { fieldsCache, headers: sent } = exchange.stream;
  if (fieldsCache === undefined || exchange.requestHeaders !== sent) {
    return { headers: upstreamRequestHeaders(exchange, options), wireText: undefined };
  }
  if (fieldsCache.owner === owner) {
    const remembered = fieldsCache.value as RememberedFields;
    if (isFor(remembered, options)) {
      return remembered;
    }
  }
  const headers = upstreamRequestHeaders(exchange, options);
  const fields: RememberedFields = { ...options, headers, wireText: { text: "" } };
  fieldsCache.owner = owner;
  fieldsCache.value = fields;
  return fields;
}
