import { readReverseProxy } from "../modules/proxy/reverse-proxy-fields.ts";
import type { Draft } from "../values/draft.ts";
import { handlerDirective } from "./directive.ts";
import { readRoutes } from "./read-block.ts";

/** `reverse_proxy upstream… { … }`: sends requests on. */
export const reverseProxy = handlerDirective((context) => {
  const { cursor } = context;
  cursor.next();
  const draft: Draft = { handler: "reverse_proxy" };
  readReverseProxy(cursor, draft, context, (inner) => readRoutes({ ...context, cursor: inner }, true));
  return draft;
});
