import type { Exchange } from "http-engine/exchange";
import type { HeaderList } from "http-engine/header-list";
import { type RequestHeaderOptions, upstreamRequestHeaders } from "./proxy-headers.ts";
import type { WireText } from "./transport/transport.ts";

/** The fields that go to an upstream. */
export interface UpstreamFields {
  /** Not to be changed where there is a `wireText`. */
  readonly headers: HeaderList;
  /** Where they serve the next request too. */
  readonly wireText: WireText | undefined;
}

/** Values that depend on more than the client's fields. */
interface RememberedFields extends UpstreamFields, RequestHeaderOptions {}

/** Whether remembered fields were made under the same options. */
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
 * The fields that are sent to an upstream. They are reused when the client sends the same fields again.
 * They are remembered on the client's connection, one set for the latest proxy. A connection that alternates
 * between two proxies recomputes them each time.
 * @param owner the proxy
 */
export function upstreamFields(
  exchange: Exchange,
  options: RequestHeaderOptions,
  owner: object,
): UpstreamFields {
  const { fieldMemo, headers: sent } = exchange.stream;
  if (fieldMemo === undefined || exchange.requestHeaders !== sent) {
    return { headers: upstreamRequestHeaders(exchange, options), wireText: undefined };
  }
  if (fieldMemo.owner === owner) {
    const remembered = fieldMemo.value as RememberedFields;
    if (isFor(remembered, options)) {
      return remembered;
    }
  }
  const headers = upstreamRequestHeaders(exchange, options);
  const fields: RememberedFields = { ...options, headers, wireText: { text: "" } };
  fieldMemo.owner = owner;
  fieldMemo.value = fields;
  return fields;
}
