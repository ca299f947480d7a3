import { handlerDirective } from "serverfile/directives/directive";

/** `fs name`: the file system that handlers after it use. */
export const fs = handlerDirective(({ cursor }) => {
  cursor.next();
  const name = cursor.argument();
  cursor.noMoreArguments();
  return { handler: "vars", fs: name };
});
