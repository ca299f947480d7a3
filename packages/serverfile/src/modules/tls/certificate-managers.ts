import { onlyGiven } from "../../values/draft.ts";
import type { ModuleReader } from "../module-reader.ts";

/** `get_certificate http <url>`. */
export const httpManager: ModuleReader = (cursor) => {
  cursor.next();
  const url = cursor.argument();
  cursor.noMoreArguments();
  if (cursor.nextInBlock(0)) {
    throw cursor.error("block not allowed here");
  }
  return onlyGiven({ url });
};

/** `permission http <endpoint>`. */
export const httpPermission: ModuleReader = (cursor) => {
  cursor.next();
  return { endpoint: cursor.onlyArgument() };
};
