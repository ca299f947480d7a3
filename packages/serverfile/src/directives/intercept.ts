import { ResponseHandlers } from "../modules/response-handlers.ts";
import { onlyGiven } from "../values/draft.ts";
import { handlerDirective } from "./directive.ts";
import { readRoutes } from "./read-block.ts";

/** `intercept { @name …; handle_response …; replace_status … }`: routes for what later handlers answered. */
export const intercept = handlerDirective((context) => {
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
