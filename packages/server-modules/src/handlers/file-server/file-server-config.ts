import { z } from "zod";
import { pathText } from "../../files/path-text.ts";
import { isOrderName, isSortName, orderNames, sortNames } from "./browse/order.ts";

/** Sidecar files have no settings yet, as in Caddy. */
const noOptions = z.strictObject({});

/** Config of the handler `file_server`. Source: Caddy 2.11 */
export const fileServerSchema = z.strictObject({
  fs: z
    .string()
    .nullish()
    .describe("File system: `default`, the machine's own, or one of the app `caddy.filesystems`."),
  /**
   * A relative root starts at the working folder. A placeholder without a value means the working folder, never `/`.
   */
  root: pathText()
    .nullish()
    .describe("Folder that is served ({http.vars.root}, else the working folder); placeholders allowed."),
  /** A hidden file counts as absent everywhere: it is not served, not listed, and is neither an index nor a sidecar. */
  hide: z
    .array(z.string())
    .nullish()
    .describe(
      "Files treated as absent: a name without a slash wherever it stands, else a path with all below it; globs allowed.",
    ),
  /** An empty list disables index files. */
  index_names: z
    .array(z.string())
    .nullish()
    .describe("Files that stand for their folder, in order (index.html, index.txt)."),
  browse: z
    .strictObject({
      template_file: z.string().nullish().describe("Template of the page in place of the built-in one."),
      reveal_symlinks: z.boolean().nullish().describe("Whether targets of symbolic links are shown."),
      sort: z
        .array(z.string())
        .superRefine(([sort, order, ...more], context) => {
          if (sort !== undefined && !isSortName(sort)) {
            context.addIssue(`the first option must be one of ${sortNames.join(", ")}, but is ${sort}`);
          } else if (order !== undefined && !isOrderName(order)) {
            context.addIssue(`the second option must be one of ${orderNames.join(", ")}, but is ${order}`);
          } else if (more.length > 0) {
            context.addIssue("there are two options at most");
          }
        })
        .nullish()
        .describe("Default order: `name`, `namedirfirst`, `size` or `time`, and `asc` or `desc`."),
      file_limit: z
        .int()
        .nullish()
        .describe("The most entries that are read of a folder (10000; negative: all)."),
      plain_time_format: z
        .string()
        .nullish()
        .describe('Layout of times in plain text ("January 2, 2006 at 15:04:05").'),
    })
    .nullish()
    .describe("Lists folders that have no index file: as HTML, JSON or plain text."),
  /** Applies only when the last path segment was not rewritten. The redirect is 308. */
  canonical_uris: z
    .boolean()
    .nullish()
    .describe("Whether folders without and files with a final slash are redirected (true)."),
  /** With a fixed status, the whole file is sent; conditions and ranges are ignored. */
  status_code: z
    .union([z.int(), z.string()])
    .nullish()
    .describe("Status in place of 200; placeholders allowed."),
  pass_thru: z
    .boolean()
    .nullish()
    .describe("Whether the next handler gets requests for absent files, not 404."),
  precompressed: z
    .strictObject({
      gzip: noOptions.nullish().describe("Sidecar files ending in .gz."),
      br: noOptions.nullish().describe("Sidecar files ending in .br."),
      zstd: noOptions.nullish().describe("Sidecar files ending in .zst."),
    })
    .nullish()
    .describe("Compressed files that lie beside others and are sent in their place."),
  precompressed_order: z
    .array(z.enum(["gzip", "br", "zstd"]))
    .nullish()
    .describe("Which is preferred where the client takes several alike."),
  /** The first sidecar file that exists is used. Control characters are removed, and the tag is cut at 1 KiB. */
  etag_file_extensions: z
    .array(z.string())
    .nullish()
    .describe("Endings of sidecar files that hold the entity tag: `.sha256`."),
});
