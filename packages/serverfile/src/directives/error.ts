import { onlyGiven } from "../values/draft.ts";
import { isStatusWord, statusValue } from "../values/status-value.ts";
import { handlerDirective } from "./directive.ts";

/** `error [message] [status]`, `{ message … }`: goes to the error routes. */
export const error = handlerDirective(({ cursor }) => {
  cursor.next();
  const [first, second, ...more] = cursor.remainingArguments();
  if (first === undefined || more.length > 0) {
    throw cursor.argumentError();
  }
  let status = second ?? "";
  let message = first;
  if (second === undefined && isStatusWord(first)) {
    status = first;
    message = "";
  }
  while (cursor.nextInBlock(0)) {
    if (cursor.value !== "message") {
      throw cursor.error(`unrecognized subdirective '${cursor.value}'`);
    }
    if (message !== "") {
      throw cursor.error("message already specified");
    }
    message = cursor.onlyArgument();
  }
  return onlyGiven({
    handler: "error",
    error: message,
    status_code: status === "" ? undefined : statusValue(status),
  });
});
