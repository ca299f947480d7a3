import type { Grammar } from "../../serverfile/grammar/grammar.ts";
import { serverfileGrammar } from "../../serverfile/serverfile-grammar.ts";

/** bcrypt hash of `secret`, with the lowest cost. */
export const secretHash = "$2a$04$k7dev94sms8hw0.EQUyhR.8M01uCMzrUuiKpDbt56.BAjwza92CGa";

/** Replaces texts of the grammar with names of machines that do not exist. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/\bhash(?:<digit>)?(?=\n)/g, secretHash],
  [/aGFzaA==/g, secretHash],
  [/\bal <word>\n/g, ""],
  [/bob h\n/g, `bob ${secretHash}\n`],
  [/ argon2id/g, " bcrypt"],
  [/\bauth:9000/g, "%AUTH%"],
  [/\bphp:9000|unix\/\/run\/php\.sock|\ba b:9000/g, "%FCGI%"],
  [/\/srv\/<digit>|\/srv\b|\{env\.R\}\/x/g, "%ROOT%"],
  [/\/(one|t|r|p)(?=\n)(?<=root \/\w+)/g, "%ROOT%"],
];

/** Texts that need resources that a test machine lacks: name servers, networks, certificate files, terminals. */
const unfit =
  /dynamic |acme_server|invoke|<policy>.*cookie|network_proxy|forward_proxy|resolvers|tls_client_auth|trust_pool|trusted_ca|local_address|proxy_protocol|unix|udp|\bfd\/|browse t\.html|tracing|fs (f|disk)\n|999999h|99999999999|dial_fallback|health_upstream|health_port|lb_try_duration <duration>|lb_try_interval|lb_retries <number>|stream_timeout|stream_close_delay|to <upstream>|transport fastcgi|<duration>|log_name|max_conns|@a |@gone<digit>|handle_errors|basic_auth (bcrypt|argon2id)?\\n|bind |import |\{block|push|first_exist_fallback|vars\.[sc]\}/;

/** The texts of a symbol that can run on a test machine. */
function fitting(symbol: string, wanted: (text: string) => boolean = () => true): string[] {
  return (serverfileGrammar[symbol] ?? [])
    .filter((text) => !unfit.test(text) && wanted(text))
    .map((text) => replacements.reduce((result, [pattern, value]) => result.replace(pattern, value), text));
}

const own: Grammar = {
  twin_sites: ["<twin_site>", "<twin_site>\n<twin_site>", "<twin_site>\n<twin_site>\n<twin_site>"],
  twin_site: [
    "<twin_address> {\n<definitions><twin_log><errors_or_none><directive+><twin_end>}",
    "<twin_address> {\n<definitions><twin_log><errors_or_none><directive+><directive+><twin_end>}",
    "<twin_address> {\n<definitions><twin_log><twin_tls><errors_or_none><directive+><twin_end>}",
    "<twin_address> {\n<definitions><twin_log><errors_or_none><twin_route><directive+><twin_end>}",
    "<twin_address> {\n<definitions><twin_log>import <twin_snippet>\n<directive+><twin_end>}",
  ],
  twin_address: [
    "http://<twin_host>",
    "http://<twin_host>",
    "http://<twin_host>, http://*.<twin_host>",
    "<twin_host>",
    "https://<twin_host>",
    "*.<twin_host>, http://<twin_host>",
    "http://",
    "http://<twin_host>/p/*",
  ],
  twin_host: ["a.example.com", "b.example.com", "c.example.org"],
  twin_log: ["", "log\n", "log\n", "log {\n<twin_log_line>}\n"],
  twin_log_line: [
    "format filter {\nwrap json\nfields {\nrequest>headers>Authorization delete\nrequest>uri query {\ndelete a\nreplace b c\n}\n}\n}\n",
    "format filter {\nrequest>remote_ip ip_mask 16 32\nrequest>headers>Cookie cookie {\ndelete sid\nreplace a X\n}\n}\n",
    "format append {\nwrap json\nkind site\n}\n",
    "format json {\ntime_format iso8601\nmessage_key note\n}\n",
    "level <level>\n",
  ],
  twin_tls: [
    "tls internal\n",
    "tls {\nprotocols tls1.3\n}\n",
    "tls {\nissuer internal {\nlifetime 1d\n}\n}\n",
    "tls {\nalpn h2 http/1.1\n}\n",
    "tls {\non_demand\n}\n",
  ],
  twin_route: [
    "handle <path_matcher> {\n<directive+>}\nhandle {\n<directive+>}\n",
    "route {\n<directive+>handle_path <path_matcher> {\n<directive+>}\n}\n",
    "handle_path <path_matcher> {\n<directive+><directive+>}\n",
    "route <matcher>{\n<directive+>route {\n<directive+>}\n}\n",
  ],
  twin_snippet: ["plain", "secured", "cached /a/*", "args one 201"],
  /** The last statement of a site, which answers all requests that no earlier statement answers. */
  twin_end: [
    "",
    "respond <word> <status>\n",
    "reverse_proxy <upstream>\n",
    "file_server\n",
    "root %ROOT%\nfile_server browse\n",
    "root %ROOT%\nphp_fastcgi %FCGI%\nfile_server\n",
    "root %ROOT%\nencode gzip zstd\ntry_files {path} /app/index.html\nfile_server\n",
    "reverse_proxy <upstream> <upstream> {\n<proxy_line+>}\n",
  ],
  upstream: ["%UP_A%", "%UP_A%", "%UP_B%", "%UP_C%", "http://%UP_B%", "h2c://%UP_2%", "%DOWN%"],
  directive: [
    ...fitting("directive"),
    "reverse_proxy <matcher><upstream>\n",
    "reverse_proxy <matcher><upstream> {\n<proxy_line+><proxy_line+>}\n",
    "reverse_proxy <matcher>https://%UP_S% {\ntransport http {\ntls_insecure_skip_verify\n<transport_line?>}\n}\n",
    "reverse_proxy <matcher>%DOWN% %UP_A% {\nlb_policy first\nlb_retries 2\n<proxy_line?>}\n",
    "reverse_proxy <matcher>%DOWN% %UP_B% {\nlb_policy first\nlb_retries 1\nfail_duration 10m\n<proxy_line?>}\n",
    "reverse_proxy <matcher>%UP_A% %UP_B% {\nlb_policy round_robin\nfail_duration 10m\nmax_fails 2\nunhealthy_status 5xx\n}\n",
    "forward_auth <matcher>%AUTH% {\nuri /check\ncopy_headers Remote-User Remote-Groups>X-Groups\n}\n",
    "php_fastcgi <matcher>%FCGI% {\nroot %ROOT%\n<php_line?>}\n",
    "root %ROOT%\n",
    "encode\n",
    "templates\n",
    "basic_auth <path_matcher> {\nbob <secret>\n}\n".replace("<secret>", secretHash),
    "handle_path <path_matcher> {\nrewrite * /nested{uri}\n<directive+>}\n",
    "rewrite <matcher>/app{uri}\n",
    "uri <matcher><uri_operation>\n",
    "request_body <matcher>{\nmax_size <small_size>\n}\n",
    'intercept <matcher>{\n@bad status 4xx 5xx\nhandle_response @bad {\nrespond "replaced {rp.status_code}" 299\n}\n}\n',
    "@known file\nhandle @known {\nfile_server\n}\n",
    'respond <matcher>"{http.request.method} {uri} {host} {remote_host} {query} {path} {orig_uri}"\n',
  ],
  small_size: ["5", "10", "100", "1KB", "0"],
  proxy_line: [
    ...fitting("proxy_line"),
    "header_up X-Up {http.request.uri}\n",
    "header_down X-Down {rp.status_code}\n",
    '@bad status 4xx 5xx\nhandle_response @bad {\nrespond "was {rp.status_code}" 298\n}\n',
    "@bad status 5xx\nhandle_response @bad {\nheader X-Handled 1\ncopy_response\n}\n",
    "handle_response {\ncopy_response_headers {\ninclude X-Up\n}\nrespond copied\n}\n",
    "lb_retries 1\n",
    "lb_policy <policy>\n",
    "flush_interval -1\n",
    "request_buffers 4KiB\n",
    "transport http {\nresponse_header_timeout 150ms\n}\n",
    "transport http {\nread_timeout 1s\ncompression off\n}\n",
    "trusted_proxies private_ranges\n",
  ],
  transport_line: fitting("transport_line"),
  php_line: fitting("php_line", (text) => text !== "lb_policy first\n"),
  file_server_line: fitting("file_server_line"),
  response_line: fitting("response_line"),
  errors_or_none: [
    "",
    "",
    'handle_errors <codes>{\nrespond "{err.status_code} {err.status_text}"\n}\n',
    "handle_errors {\nroot %ROOT%\nrewrite * /404.html\ntemplates\nfile_server\n}\n",
    "handle_errors <codes>{\n<directive*>}\n",
    "handle_errors 502 503 {\nreverse_proxy %UP_C%\n}\n",
  ],
  policy: [
    "first",
    "round_robin",
    "random",
    "weighted_round_robin 2 1",
    "least_conn",
    "ip_hash",
    "header X-A",
    "query a",
  ],
  definitions: [
    '@one <one_matcher>\n@two {\n<list_matcher>\n<list_matcher>\n}\n@three `{method} == "GET"`\n',
  ],
  one_matcher: fitting("one_matcher"),
  list_matcher: fitting("list_matcher"),
  word: (serverfileGrammar.word ?? []).filter((text) => !/EOF|multi\nline|\{args|\{block/.test(text)),
  path: (serverfileGrammar.path ?? []).filter((text) => text !== "/a b"),
  duration: ["5s", "1m30s", "250ms", "2d"],
  number: ["0", "1", "2", "7"],
  status: ["200", "200", "404", "503", "201", "418", "204"],
  redirect_code: ["permanent", "temporary", "html", "307", "401"],
};

/** A grammar for whole sites that can run: the grammar of serverfiles with existing upstreams, folders and names. */
export const siteGrammar: Grammar = { ...serverfileGrammar, ...own };

/** Snippets that drawn sites import. */
export const snippets = `(plain) {
	header X-P p
}
(secured) {
	header {
		Strict-Transport-Security max-age=31536000
		X-Frame-Options DENY
		-Server
	}
}
(cached) {
	header {args[0]} Cache-Control "public, max-age=60"
}
(args) {
	header X-All "{args[0]}-{args[1]}"
}
`;
