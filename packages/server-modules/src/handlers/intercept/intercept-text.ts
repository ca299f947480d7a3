import { handlerDirective } from "serverfile/directives/directive";
import { readRoutes } from "serverfile/directives/read-block";
import type { ModuleText } from "serverfile/module-text";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { onlyGiven } from "serverfile/values/draft";
import { ResponseBlocks } from "./response-blocks.ts";
import { ResponseHandlers } from "./response-handlers.ts";

/**
 * `intercept { @name …; handle_response …; replace_status … }`: routes for responses of later handlers. Responses are
 * checked against the matchers in the order of the text. Blocks without a matcher are checked last.
 * ```
 * intercept {
 *   @missing status 404
 *   handle_response @missing {
 *     respond "Nothing here" 404
 *   }
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "intercept",
 *   "handle_response": [
 *     {
 *       "match": { "status_code": [404] },
 *       "routes": [
 *         {
 *           "handle": [
 *             {
 *               "handler": "static_response",
 *               "status_code": 404,
 *               "body": "Nothing here"
 *             }
 *           ]
 *         }
 *       ]
 *     }
 *   ]
 * }
 * ```
 */
const directive = handlerDirective((context) => {
  const { cursor } = context;
  const handlers = new ResponseHandlers();
  cursor.next();
  while (cursor.nextInBlock(0)) {
    if (!handlers.read(cursor)) {
      throw cursor.error(`unrecognized subdirective ${cursor.value}`);
    }
  }
  return onlyGiven({
    handler: "intercept",
    handle_response: handlers.finish((inner) => readRoutes({ ...context, cursor: inner }, true)),
  });
});

/** Writes `intercept`. Response matchers get new names, and the routes in each block keep their order. */
const toText: HandlerWriter = (handler, context) => {
  const responses = new ResponseBlocks(handler.children("handle_response") ?? [], context);
  const block = responses.lines.length === 0 ? undefined : responses;
  return { directive: "intercept", words: [], block, blocks: [responses] };
};

export const interceptText: ModuleText = { directive, toText };
