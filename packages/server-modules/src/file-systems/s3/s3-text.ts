import type { ModuleText } from "serverfile/module-text";
import { duration, fieldLines, flag, integer, text } from "serverfile/to-text/lines/field-lines";
import type { Line } from "serverfile/to-text/lines/line";
import type { Members } from "serverfile/to-text/members";
import { readFields } from "serverfile/values/block-fields";
import type { Draft } from "serverfile/values/draft";

const fields = {
  bucket: text("bucket"),
  region: text("region"),
  profile: text("profile"),
  endpoint: text("endpoint"),
  force_path_style: flag("force_path_style"),
  use_path_style: flag("use_path_style"),
  access_key_id: text("access_key_id"),
  secret_access_key: text("secret_access_key"),
  session_token: text("session_token"),
  timeout: duration("timeout", "invalid timeout '%s'"),
  max_requests: integer("max_requests", "invalid max_requests '%s'"),
};

export function s3Lines(members: Members): Line[] {
  return fieldLines(members, fields);
}

/** `s3 { bucket <name>; region <region>; … }`. */
export const s3Text: ModuleText = {
  readText(cursor) {
    cursor.next();
    cursor.noMoreArguments();
    const draft: Draft = {};
    readFields(cursor, draft, fields, (word) => `${word} not a valid caddy.fs.s3 option`);
    return draft;
  },
};
