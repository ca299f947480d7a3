import { HttpError } from "http-engine/http-error";
import { messageOf, ServerError } from "server-core/errors";
import { readRegularFile } from "server-core/files/read-regular-file";
import { formatGoTime } from "server-core/go/go-time";
import { basicFunctions } from "../../templates/basic-functions.ts";
import { TemplateRun } from "../../templates/evaluate-template.ts";
import { fileMode } from "../../templates/file-struct.ts";
import { siteFunctions } from "../../templates/site-functions.ts";
import { sprigFunctions } from "../../templates/sprig-functions.ts";
import { templateContext } from "../../templates/template-context.ts";
import type { ParsedTemplate } from "../../templates/template-nodes.ts";
import { parseTemplate } from "../../templates/template-parser.ts";
import { UtcTime } from "../../templates/time-members.ts";
import type { RenderPage } from "./browse.ts";
import type { PageListing } from "./browse-page.ts";
import { humanSize } from "./human-size.ts";
import type { ListedFile } from "./listing.ts";

const delimiters = ["{{", "}}"] as const;

/** An entry with the field names of Caddy's templates. */
function itemContext(item: ListedFile, page: object): object {
  const time = new UtcTime(item.mod_time);
  return {
    Name: item.name,
    Size: item.size,
    URL: item.url,
    ModTime: time,
    Mode: fileMode(item.mode),
    IsDir: item.is_dir,
    IsSymlink: item.is_symlink,
    SymlinkPath: item.symlink_path ?? "",
    Tpl: page,
    HumanSize: () => humanSize(item.size),
    HumanModTime: (layout: string) => formatGoTime(time, layout),
    HasExt: (...endings: string[]) =>
      endings.some((ending) => item.name.toLowerCase().endsWith(ending.toLowerCase())),
  };
}

/** Links to the folders of a path: `/a/b/` has three. */
function breadcrumbs(path: string): object[] {
  const parts = path.replace(/\/$/, "").split("/");
  return parts.map((part, index) => ({
    Link: "../".repeat(parts.length - index - 1),
    Text: index === 0 && part === "" ? "/" : part,
  }));
}

/** A listing with the field names of Caddy's templates. */
function pageContext(page: PageListing): Record<string, unknown> {
  const context: Record<string, unknown> = {
    Name: page.path.replace(/\/$/, "").split("/").at(-1) || "/",
    Path: page.path.replace(/(?<=.)\/$/, ""),
    CanGoUp: page.path.length > 1,
    Limit: page.limit,
    Offset: page.offset,
    NumDirs: page.folders,
    NumFiles: page.files,
    TotalFileSize: page.totalBytes,
    TotalFileSizeFollowingSymlinks: page.followedBytes,
    HumanTotalFileSize: () => humanSize(page.totalBytes),
    HumanTotalFileSizeFollowingSymlinks: () => humanSize(page.followedBytes),
    Sort: page.sort,
    Order: page.order,
    Layout: page.layout,
    Breadcrumbs: () => breadcrumbs(page.path),
  };
  context.Items = page.items.map((item) => itemContext(item, context));
  return context;
}

/** Maximum number of bytes of a template, as in the handler `templates`. */
const maxTemplateBytes = 16 * 1024 * 1024;

/**
 * Loads a template for listings. The template can use the functions of the handler `templates`, and the listing.
 * @throws ServerError MODULE_CONFIG when the file cannot be read
 * Source: Caddy 2.11, the context of its browse templates
 */
export async function loadBrowseTemplate(path: string): Promise<RenderPage> {
  let template: ParsedTemplate;
  try {
    template = parseTemplate((await readRegularFile(path, maxTemplateBytes)).toString("utf8"), ...delimiters);
  } catch (error) {
    throw new ServerError("MODULE_CONFIG", `browse template ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return async (page, { exchange, root }) => {
    const contextWith = (args: readonly unknown[]) => ({
      ...templateContext(exchange, exchange.responseHeaders, args).members,
      ...pageContext(page),
    });
    const run: TemplateRun = new TemplateRun({
      ...sprigFunctions,
      ...basicFunctions,
      ...siteFunctions({ exchange, root, delimiters, run: () => run, contextWith }),
    });
    try {
      return await run.run(template, contextWith([]));
    } catch (error) {
      throw error instanceof ServerError
        ? error
        : new HttpError(500, `browse template: ${messageOf(error)}`, { cause: error });
    }
  };
}
