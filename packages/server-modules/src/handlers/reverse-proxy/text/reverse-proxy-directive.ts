import { handlerDirective } from "serverfile/directives/directive";
import { readRoutes } from "serverfile/directives/read-block";
import type { Draft } from "serverfile/values/draft";
import { readReverseProxy } from "./reverse-proxy-fields.ts";

/** `reverse_proxy upstream… { … }`: sends requests on. */
export const reverseProxy = handlerDirective((context) => {
  const { cursor } = context;
  cursor.next();
  const draft: Draft = { handler: "reverse_proxy" };
  readReverseProxy(cursor, draft, context, (inner) => readRoutes({ ...context, cursor: inner }, true));
  return draft;
});
