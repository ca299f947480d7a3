import { handlerDirective } from "./directive.ts";

/** `invoke name`: runs a named route, which becomes part of the server. */
export const invoke = handlerDirective(({ cursor, state }) => {
  cursor.next();
  const name = cursor.argument();
  if (cursor.next()) {
    throw cursor.argumentError();
  }
  state.invoked.add(name);
  return { handler: "invoke", name };
});
