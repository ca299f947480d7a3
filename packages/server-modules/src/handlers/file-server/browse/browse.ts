import { randomUUID } from "node:crypto";
import { posix } from "node:path";
import type { Exchange } from "http-engine/exchange";
import { getHeaders, setContentLength } from "http-engine/header-list";
import { formatGoTime } from "server-core/go/go-time";
import { parseQuery } from "server-core/uri/query-parameters";
import { readCookie } from "../../../cookies/cookies.ts";
import type { FileSystem } from "../../../file-systems/file-system.ts";
import { parseHttpDate } from "../../../files/preconditions.ts";
import { statError } from "../file-error.ts";
import { redirectTo } from "../redirect.ts";
import { browsePage, type PageListing, pagePolicy } from "./browse-page.ts";
import { humanSize } from "./human-size.ts";
import { listRemote } from "./list-remote.ts";
import { type ListedFile, type Listing, listFolder } from "./listing.ts";
import { arrange, isOrderName, isSortName, type OrderName, type SortName } from "./order.ts";

/** The member `browse` of the handler's config. */
export interface BrowseConfig {
  /** Template of the page. Default: the built-in template. */
  readonly template_file?: string | null | undefined;
  /**
   * True when the targets of symbolic links are shown. Default: false, because the targets may name private folders.
   */
  readonly reveal_symlinks?: boolean | null | undefined;
  /** Default column and order; the client may choose different ones. Default: `name`, folders first, ascending. */
  readonly sort?: readonly string[] | null | undefined;
  /** Maximum number of listed files. Default: 10,000. */
  readonly file_limit?: number | null | undefined;
  /** Time format of a plain text listing, in Go's notation. */
  readonly plain_time_format?: string | null | undefined;
}

/** A folder of a site. */
export interface ListedPlace {
  /** Root of the site; user templates include files from it. */
  readonly root: string;
  /** Path of the folder to list. */
  readonly folder: string;
  /** The file system of the folder; absent: the machine's own. */
  readonly files?: FileSystem | undefined;
}

/** A folder that a request names. */
export interface BrowseRequest extends ListedPlace {
  readonly exchange: Exchange;
  /** True when a file is hidden for this request. */
  readonly isHidden: (path: string, exchange: Exchange) => boolean;
  /** Answers when the folder no longer exists. */
  readonly notFound: () => void | Promise<void>;
}

/** Answers a request with a listing. */
export type Browser = (request: BrowseRequest) => void | Promise<void>;

/** Makes the HTML of a listing. */
export type RenderPage = (page: PageListing, request: BrowseRequest) => string | Promise<string>;

/** Default limit of entries that are read from a folder. */
const defaultLimit = 10_000;
/** Default time format in plain text, in Go's notation. */
const defaultTimeFormat = "January 2, 2006 at 15:04:05";

/** Width of a tab in characters, as in terminals. */
const tabWidth = 8;

/** Aligns the columns of a table with tabs. Source: Caddy 2.11, observed output */
function plainTable(items: readonly ListedFile[], timeFormat: string): string {
  const rows = [
    ["Name", "Size", "Modified"],
    ["----", "----", "--------"],
    ...items.map((item) => [
      item.name,
      humanSize(item.size),
      formatGoTime(new Date(item.mod_time), timeFormat),
    ]),
  ];
  const lengthOf = (text: string) => [...text].length;
  const tabStops = (column: number) =>
    rows.reduce((most, row) => Math.max(most, Math.floor(lengthOf(row[column] ?? "") / tabWidth) + 1), 0);
  const stops = [tabStops(0), tabStops(1)];
  const cell = (text: string, column: number) =>
    text + "\t".repeat((stops[column] ?? 0) - Math.floor(lengthOf(text) / tabWidth));
  return rows
    .map(([name = "", size = "", time = ""]) => `${cell(name, 0)}${cell(size, 1)}${time}\n`)
    .join("");
}

/** A setting that a visitor can choose: the column, or the order. */
interface Choice<Name extends string> {
  /** Name of the cookie that remembers the choice. */
  readonly name: string;
  /** Value in the query; "" when the query has none. */
  readonly asked: string;
  /** True when a text is one of the allowed values. */
  readonly isName: (text: string) => text is Name;
  /** Value when the client chooses none: the configured value, or the built-in default. */
  readonly fallback: Name;
}

/**
 * Returns the value of the query and stores it in a cookie. Without a query value, returns the cookie's value, else the
 * fallback.
 */
function choose<Name extends string>(
  exchange: Exchange,
  { name, asked, isName, fallback }: Choice<Name>,
): Name {
  if (isName(asked)) {
    const secure = exchange.scheme === "https" ? "; Secure" : "";
    exchange.responseHeaders.push("Set-Cookie", `${name}=${asked}; HttpOnly${secure}; SameSite=Lax`);
    return asked;
  }
  const remembered = readCookie(exchange, name) ?? "";
  return isName(remembered) ? remembered : fallback;
}

/** Sends a listing with the given media type. */
function send(exchange: Exchange, type: string, body: string): void {
  exchange.responseHeaders.push("Content-Type", `${type}; charset=utf-8`);
  setContentLength(exchange.responseHeaders, Buffer.byteLength(body));
  exchange.respond(exchange.defaultStatus, exchange.method === "HEAD" ? "" : body);
}

/** Sends the built-in page with a policy that allows only the page's own style. */
function builtInPage(page: PageListing, { exchange }: BrowseRequest): string {
  const nonce = randomUUID();
  exchange.responseHeaders.push("Content-Security-Policy", pagePolicy(nonce));
  return browsePage(page, nonce);
}

/**
 * Redirects a folder URL without a final slash, because the links of the page are relative. No redirect is sent when a
 * handler rewrote the last part of the path. @returns true when the redirect was sent
 */
function redirectToSlash(exchange: Exchange): boolean {
  const { path, rawPath } = exchange.original.target;
  const sameName = posix.basename(path) === posix.basename(exchange.path);
  if (!sameName || rawPath.endsWith("/")) {
    return false;
  }
  redirectTo(exchange, `${rawPath}/`);
  return true;
}

/**
 * Layout and part of a listing that the query requests. @param asked returns a query parameter; "" when it is absent
 */
function shapeOf(asked: (name: string) => string): Pick<PageListing, "layout" | "limit" | "offset"> {
  const count = (name: string) => (/^\d+$/.test(asked(name)) ? Number(asked(name)) : 0);
  return {
    layout: asked("layout") === "grid" ? "grid" : "list",
    limit: count("limit"),
    offset: count("offset"),
  };
}

/** Reads the folder of a request. @throws HttpError for a folder that cannot be read */
async function readListing(
  config: BrowseConfig,
  { exchange, folder, isHidden, files }: BrowseRequest,
): Promise<Listing> {
  const limit = (config.file_limit ?? 0) < 0 ? Number.POSITIVE_INFINITY : config.file_limit || defaultLimit;
  if (files !== undefined) {
    return await listRemote(files, folder, limit, (path) => isHidden(path, exchange));
  }
  try {
    return await listFolder(folder, {
      limit,
      revealSymlinks: config.reveal_symlinks === true,
      isHidden: (path) => isHidden(path, exchange),
    });
  } catch (error) {
    throw statError(error);
  }
}

/**
 * Compiles the handler for folder listings. @param render renders a custom page; absent: the built-in page
 * | `Accept` has | Answer |
 * |---|---|
 * | `application/json` | entries as JSON |
 * | `text/plain` | a table |
 * | any other type | HTML |
 *
 * Query parameters: `sort` and `order` are remembered in cookies, `limit` and `offset` select a part of the list,
 * `layout=grid` shows tiles.
 */
export function compileBrowse(config: BrowseConfig, render: RenderPage = builtInPage): Browser {
  const configured = config.sort ?? [];
  const defaultSort = configured.find(isSortName);
  const defaultOrder = configured.find(isOrderName);
  const timeFormat = config.plain_time_format || defaultTimeFormat;

  return async (request) => {
    const { exchange } = request;
    if (redirectToSlash(exchange)) {
      return;
    }
    const listing = await readListing(config, request);
    const { responseHeaders } = exchange;
    responseHeaders.push("Vary", "Accept, Accept-Encoding");
    const since = parseHttpDate(exchange.header("if-modified-since"));
    const { lastModifiedMs } = listing;
    if (since !== undefined && lastModifiedMs !== undefined && Math.floor(lastModifiedMs / 1000) <= since) {
      exchange.respond(304);
      return;
    }
    if (lastModifiedMs !== undefined) {
      responseHeaders.push("Last-Modified", new Date(lastModifiedMs).toUTCString());
    }
    const { parameters } = parseQuery(exchange.query);
    const asked = (name: string) => parameters.get(name)?.[0] ?? "";
    const sort: SortName = choose(exchange, {
      name: "sort",
      asked: asked("sort"),
      isName: isSortName,
      fallback: defaultSort ?? "namedirfirst",
    });
    const order: OrderName = choose(exchange, {
      name: "order",
      asked: asked("order"),
      isName: isOrderName,
      fallback: defaultOrder ?? "asc",
    });
    const items = arrange(listing.items, { sort, order, offset: asked("offset"), limit: asked("limit") });
    const accept = getHeaders(exchange.requestHeaders, "accept").join(",").toLowerCase();
    if (accept.includes("application/json")) {
      send(exchange, "application/json", `${JSON.stringify(items)}\n`);
    } else if (accept.includes("text/plain")) {
      send(exchange, "text/plain", plainTable(items, timeFormat));
    } else {
      const page = { ...listing, ...shapeOf(asked), items, sort, order, path: exchange.cleanedPath };
      send(exchange, "text/html", await render(page, request));
    }
  };
}
