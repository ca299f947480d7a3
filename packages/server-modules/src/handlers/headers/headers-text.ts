import type { ModuleText } from "serverfile/module-text";
import { header } from "./header-directive.ts";
import { withDefaults as runToText, headers as toText } from "./headers-lines.ts";
import { requestHeader } from "./request-header-directive.ts";

export const headersText: ModuleText = {
  directives: { header, request_header: requestHeader },
  toText,
  runToText,
};
