/**
 * The imports of module authors from `admin-server/module`. Inside a running server the same import gives the
 * server's own copies. See docs/admin-api.md, "Modules of your own".
 */

export { type BodyFilter, FilteredBody } from "http-engine/body/filtered-body";
export type { Exchange } from "http-engine/exchange";
export {
  type HttpHandler,
  type HttpMatcher,
  httpHandlers,
  httpMatchers,
  type Next,
} from "http-engine/handler";
export { getHeader, getHeaders, type HeaderList, removeHeaders, setHeader } from "http-engine/header-list";
export { HttpError } from "http-engine/http-error";
export { ResponseFilter, type ResponseSink } from "http-engine/response-sink";
export { ServerError, type ServerErrorCode } from "server-core/errors";
export {
  type CloudEvent,
  EventAborted,
  type EventHandler,
  type EventOutcome,
  eventHandlers,
  type ServerEvent,
} from "server-core/events/server-event";
export type { JsonObject, JsonValue } from "server-core/json/json-value";
export { configDuration, inlineModule, moduleMap } from "server-core/modules/config-fields";
export {
  type App,
  defineModule,
  type ModuleDefinition,
  type ModuleInstance,
  type ModuleNamespace,
  type ModuleSource,
} from "server-core/modules/module";
export type { ModuleContext } from "server-core/modules/module-context";
export { type DirectiveContext, handlerDirective } from "serverfile/directives/directive";
export type { TokenCursor } from "serverfile/lexer/token-cursor";
export type { ModuleText } from "serverfile/module-text";
export * as writeLines from "serverfile/to-text/lines/field-lines";
export { blockOf, type Line, line, type Word } from "serverfile/to-text/lines/line";
export { Members } from "serverfile/to-text/members";
export type { HandlerWriter, Written } from "serverfile/to-text/routes/handler-writer";
export * as readLines from "serverfile/values/block-fields";
export type { Draft } from "serverfile/values/draft";
export { z } from "zod";
