/**
 * What authors of modules import from `admin-server/module`; inside a running server the same import gives the server's
 * own copies. See docs/admin-api.md, "Modules of your own".
 */
export { z } from "zod";
export { ServerError, type ServerErrorCode } from "./core/errors.ts";
export {
  type CloudEvent,
  EventAborted,
  type EventHandler,
  type EventOutcome,
  eventHandlers,
  type ServerEvent,
} from "./core/events/server-event.ts";
export type { JsonObject, JsonValue } from "./core/json/json-value.ts";
export { configDuration, inlineModule, moduleMap } from "./core/modules/config-fields.ts";
export {
  type App,
  defineModule,
  type ModuleDefinition,
  type ModuleInstance,
  type ModuleNamespace,
  type ModuleSource,
} from "./core/modules/module.ts";
export type { ModuleContext } from "./core/modules/module-context.ts";
export { type BodyFilter, FilteredBody } from "./http/body/filtered-body.ts";
export type { Exchange } from "./http/exchange.ts";
export { type HttpHandler, type HttpMatcher, httpHandlers, httpMatchers, type Next } from "./http/handler.ts";
export { getHeader, getHeaders, type HeaderList, removeHeaders, setHeader } from "./http/header-list.ts";
export { HttpError } from "./http/http-error.ts";
export { ResponseFilter, type ResponseSink } from "./http/response-sink.ts";
