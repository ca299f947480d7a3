import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";

/**
 * `invoke name`: runs a named route. The name is recorded, so that the adapter copies the named route into each server
 * that invokes it. `invoke shared` becomes
 * `{ "handler": "invoke", "name": "shared" }`.
 */
const directive = handlerDirective(({ cursor, state }) => {
  cursor.next();
  const name = cursor.argument();
  if (cursor.next()) {
    throw cursor.argumentError();
  }
  state.invoked.add(name);
  return { handler: "invoke", name };
});

/** Writes the name alone. The adapter writes the route itself as a block `&(name)`. */
const toText: HandlerWriter = (handler) => ({
  directive: "invoke",
  words: [handler.text("name") ?? ""],
});

export const invokeText: ModuleText = { directive, toText };
