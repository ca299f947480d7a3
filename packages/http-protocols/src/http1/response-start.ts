/** Reason phrases of Go's net/http. Node's list differs for 413, 414, 416 and 418, and also has 509. */
const texts: Readonly<Record<number, string>> = {
  100: "Continue",
  101: "Switching Protocols",
  102: "Processing",
  103: "Early Hints",
  200: "OK",
  201: "Created",
  202: "Accepted",
  203: "Non-Authoritative Information",
  204: "No Content",
  205: "Reset Content",
  206: "Partial Content",
  207: "Multi-Status",
  208: "Already Reported",
  226: "IM Used",
  300: "Multiple Choices",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
  305: "Use Proxy",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  407: "Proxy Authentication Required",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  411: "Length Required",
  412: "Precondition Failed",
  413: "Request Entity Too Large",
  414: "Request URI Too Long",
  415: "Unsupported Media Type",
  416: "Requested Range Not Satisfiable",
  417: "Expectation Failed",
  418: "I'm a teapot",
  421: "Misdirected Request",
  422: "Unprocessable Entity",
  423: "Locked",
  424: "Failed Dependency",
  425: "Too Early",
  426: "Upgrade Required",
  428: "Precondition Required",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  451: "Unavailable For Legal Reasons",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  505: "HTTP Version Not Supported",
  506: "Variant Also Negotiates",
  507: "Insufficient Storage",
  508: "Loop Detected",
  510: "Not Extended",
  511: "Network Authentication Required",
};

/** `Not Found`; "" for a status without a text. Source: Go, `net/http.StatusText` */
export function statusText(status: number): string {
  return texts[status] ?? "";
}

/** The reason phrase of a status line. Source: Go, `net/http`, `writeStatusLine` */
export function reasonPhrase(status: number): string {
  return texts[status] ?? `status code ${status}`;
}

let dateText = "";

function forgetDate(): void {
  dateText = "";
}

/**
 * Value of the field `Date`, created once per second, because reading the clock for each response costs more than
 * writing the field.
 */
export function httpDate(): string {
  if (dateText === "") {
    const now = Date.now();
    dateText = new Date(now).toUTCString();
    setTimeout(forgetDate, 1_000 - (now % 1_000)).unref();
  }
  return dateText;
}

/** True for a valid `Content-Length`: up to 15 digits, because a JavaScript number holds these exactly. */
export function isLength(value: string): boolean {
  return /^\d{1,15}$/.test(value);
}
