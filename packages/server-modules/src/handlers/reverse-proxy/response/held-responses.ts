import type { Exchange } from "http-engine/exchange";
import { HttpError } from "http-engine/http-error";
import type { HeldResponse } from "../relay.ts";

/** Responses that routes of `handle_response` are deciding about. */
const held = new WeakMap<Exchange, HeldResponse>();

/**
 * Makes the response available to the routes of a proxy. @returns the response of an enclosing proxy, which the caller
 * must restore afterwards
 */
export function setHeldResponse(
  exchange: Exchange,
  response: HeldResponse | undefined,
): HeldResponse | undefined {
  const before = held.get(exchange);
  if (response === undefined) {
    held.delete(exchange);
  } else {
    held.set(exchange, response);
  }
  return before;
}

/** @throws HttpError 500 outside of `handle_response`; fields that the site has set stay in the response */
export function heldResponse(exchange: Exchange, handler: string): HeldResponse {
  const found = held.get(exchange);
  if (found === undefined) {
    throw new HttpError(500, `cannot use '${handler}' outside of a reverse_proxy's handle_response routes`);
  }
  return found;
}
