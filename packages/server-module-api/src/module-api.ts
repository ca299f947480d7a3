/**
 * The names that modules import, both the modules of this repository and users' modules. Inside a running server, the
 * import returns the server's own copies. See docs/admin-api.md, "Modules of your own".
 */

export type { Registry } from "@prometheus-io/client";
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
export { compileTemplate, setPlaceholder } from "http-engine/placeholders";
export { ResponseFilter, type ResponseSink } from "http-engine/response-sink";
export type { Connection } from "layer4/connection/connection";
export type { Matcher as ConnectionMatcher } from "layer4/routes/handler";
export type { Logger } from "lifecycle";
export { parseGoDuration } from "lifecycle/go-duration";
export { version } from "lifecycle/version";
export { messageOf, ServerError, type ServerErrorCode } from "server-core/errors";
export {
  type CloudEvent,
  EventAborted,
  type EventHandler,
  type EventOutcome,
  eventHandlers,
  type ServerEvent,
} from "server-core/events/server-event";
export { readRegularFile } from "server-core/files/read-regular-file";
export { formatGoDuration } from "server-core/go/go-duration";
export type { JsonObject, JsonValue } from "server-core/json/json-value";
export { isJsonArray } from "server-core/json/json-value";
export {
  configCount,
  configDuration,
  inlineModule,
  moduleMap,
  notYet,
} from "server-core/modules/config-fields";
export {
  type App,
  defineModule,
  type ListedModule,
  listed,
  type ModuleDefinition,
  type ModuleInstance,
  type ModuleNamespace,
  type ModuleSource,
} from "server-core/modules/module";
export type { ModuleContext } from "server-core/modules/module-context";
export type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";
export { readWithin } from "server-core/net/read-within";
export { replaceAll, replaceKnown } from "server-core/placeholders/machine-placeholders";
export type { ThreadMessages } from "server-core/threads/thread-messages";
export { formatQuery, parseQuery, type QueryParameters } from "server-core/uri/query-parameters";
export { bytesOfText } from "server-core/uri/text-of-bytes";
export { type DirectiveContext, handlerDirective } from "serverfile/directives/directive";
export type { TokenCursor } from "serverfile/lexer/token-cursor";
export type { ModuleText } from "serverfile/module-text";
export type { MatcherReader, OptionReader } from "serverfile/modules/module-reader";
export * as writeLines from "serverfile/to-text/lines/field-lines";
export { blockOf, type Line, line, lineWith, type Word } from "serverfile/to-text/lines/line";
export type { MatcherWriter } from "serverfile/to-text/matchers/matcher-writer";
export { Members } from "serverfile/to-text/members";
export type { OptionWriter } from "serverfile/to-text/options/option-writer";
export type { HandlerWriter, Written } from "serverfile/to-text/routes/handler-writer";
export * as readLines from "serverfile/values/block-fields";
export type { Draft } from "serverfile/values/draft";
export { parseDuration } from "serverfile/values/parse-duration";
export { z } from "zod";
export { Counter, Gauge } from "./metrics.ts";
