import type { ModuleText } from "serverfile/module-text";
import type { ModuleReader } from "serverfile/modules/module-reader";
import { type Draft, listOf } from "serverfile/values/draft";
import { withPrivateRanges } from "serverfile/values/private-ranges";

/** `trusted_proxies static <range>…`. */
const readText: ModuleReader = (cursor) => {
  cursor.next();
  const draft: Draft = {};
  while (cursor.nextArgument()) {
    listOf(draft, "ranges").push(...withPrivateRanges(cursor.value));
  }
  return draft;
};

export const staticRangesText: ModuleText = { readText };
