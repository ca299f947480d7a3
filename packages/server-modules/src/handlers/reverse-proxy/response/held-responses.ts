import type { Exchange } from "http-engine/exchange";
import { HttpError } from "http-engine/http-error";
import type { HeldResponse } from "../relay.ts";

/** Responses that routes of `handle_response` decide about now. */
const held = new WeakMap<Exchange, HeldResponse>();

/** Lets the routes of a proxy find the response. @returns the response of an enclosing proxy, to be restored afterwards */
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

/** @throws HttpError 500 outside of `handle_response`: fields that the site has set stay in the answer */
export function heldResponse(exchange: Exchange, handler: string): HeldResponse {
  const found = held.get(exchange);
  if (found === undefined) {
    throw new HttpError(500, `cannot use '${handler}' outside of a reverse_proxy's handle_response routes`);
  }
  return found;
}
