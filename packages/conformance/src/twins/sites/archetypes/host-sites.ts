import { globalOptions } from "../global-options.ts";
import { secretHash } from "../site-grammar.ts";
import { type Archetype, maybe } from "./archetype.ts";

export const homelab: Archetype = {
  name: "homelab",
  text: (random) => `${globalOptions()}(auth) {
	forward_auth %AUTH% {
		uri /api/verify?rd=https://auth.home.test
		copy_headers Remote-User Remote-Groups${random.pick(["", " Remote-Email>X-Email"])}
		${maybe(random, "header_up X-Original {uri}")}
	}
}
media.home.test, http://media.home.test {
	log
	import auth
	reverse_proxy %UP_A%
}
http://files.home.test {
	log
	${random.pick(["import auth", "route {\n\t\timport auth\n\t}", "handle /private/* {\n\t\timport auth\n\t}"])}
	root %ROOT%
	file_server browse
}
http://admin.home.test {
	@outside not remote_ip ${random.pick(["private_ranges", "127.0.0.0/8", "10.0.0.0/8"])}
	respond @outside "outside" 403
	basic_auth {
		bob ${secretHash}
	}
	reverse_proxy %UP_B% {
		header_up X-User {http.auth.user.id}
		header_up -Authorization
	}
	handle_errors {
		respond "{err.status_code} for {http.request.orig_uri}"
	}
}
`,
  hints: {
    targets: ["/", "/web/index.html", "/a.txt", "/private/x", "/private", "/list/", "/api?x=1", "/stream"],
    fields: [
      [["X-Twin-Auth", "401"]],
      [["X-Twin-Auth", "302"]],
      [["X-Twin-Auth", "500"]],
      [["X-Twin-Auth", "204"]],
      [["Remote-User", "evil"]],
      [["X-Email", "evil"]],
      [["Authorization", "Basic Ym9iOnNlY3JldA=="]],
    ],
    behaviours: ["ok", "echo", "status=500", "pieces=sse", "upgrade", "own", "cookies"],
  },
};

const names = Array.from({ length: 20 }, (_, index) => `s${index + 1}`);

export const wildcard: Archetype = {
  name: "wildcard",
  text: (random) => `${globalOptions()}*.wild.test, http://*.wild.test {
	log
	${names
    .map((name, index) => {
      const does = random.pick([
        `respond "${name} {http.request.host.labels.2}"`,
        "reverse_proxy %UP_A%",
        `root %ROOT%/folder\n\t\tfile_server`,
        `redir https://other.test{uri} ${301 + (index % 2)}`,
      ]);
      return `@${name} host ${name}.wild.test\n\thandle @${name} {\n\t\t${does}\n\t}`;
    })
    .join("\n\t")}
	handle {
		${random.pick(["abort", 'respond "no such name" 404', "error 421"])}
	}
}
${random.pick(["", "special.wild.test {\n\trespond special\n}\n", "http://s1.wild.test {\n\trespond exact\n}\n"])}`,
  hints: {
    targets: ["/", "/b.txt", "/x?y=1"],
    fields: [...names.slice(0, 8).map((name) => [["Host", `${name}.wild.test`]] as const)],
  },
};

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: it is text of the format, not a template of ours */
export const multiTenant: Archetype = {
  name: "tenants",
  text: (random) => `${globalOptions(["on_demand_tls {\n\t\task http://%UP_C%/ask\n\t}"])}https:// {
	log
	tls {
		on_demand
	}
	${random.pick(["reverse_proxy %UP_A% {\n\t\theader_up X-Tenant {host}\n\t}", "rewrite * /tenants/{host}{uri}\n\treverse_proxy %UP_A%", 'map {host} {tenant} {\n\t\t~^(\\w+)\\.tenants\\.test$ "${1}"\n\t\tdefault unknown\n\t}\n\trespond "tenant {tenant}"'])}
}
http:// {
	redir https://{host}{uri} 301
}
`,
  hints: {
    targets: ["/", "/login?x=1", "/a/b"],
    vias: ["h2", "https", "https", "http"],
    fields: [[["Host", "one.tenants.test"]], [["Host", "custom-domain.test"]]],
  },
};

/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above */
export const downloads: Archetype = {
  name: "downloads",
  text: (random) => `${globalOptions()}http://dl.example.com {
	log
	root %ROOT%
	${maybe(random, "encode gzip")}
	${maybe(random, "header /downloads/* Content-Disposition attachment")}
	${maybe(random, "@robots header User-Agent *bot*\n\trespond @robots 429")}
	file_server {
		${maybe(random, "hide .hidden .env")}
		${random.pick(["browse", "index none", "precompressed gzip"])}
	}
}
`,
  hints: {
    targets: [
      "/downloads/big.bin",
      "/downloads/big.bin",
      "/downloads/ten.txt",
      "/downloads/empty.txt",
      "/downloads/",
      "/downloads",
      "/style.css",
      "/.hidden/secret.txt",
      "/app/main.js",
      "/a.txt",
    ],
    methods: ["GET", "GET", "GET", "HEAD", "POST"],
    fields: [
      [["Range", "bytes=0-0"]],
      [["Range", "bytes=9-"]],
      [["Range", "bytes=-1"]],
      [["Range", "bytes=-0"]],
      [["Range", "bytes=5-3"]],
      [["Range", "bytes=0-3,2-5"]],
      [["Range", "bytes=0-1,,3-4"]],
      [["Range", "bytes= 0 - 1"]],
      [["Range", "Bytes=0-1"]],
      [["Range", "items=0-1"]],
      [["Range", "bytes=131071-"]],
      [["Range", "bytes=131072-"]],
      [["Range", "bytes=0-99999999999999999999"]],
      [["Range", "bytes=0-1,200000-"]],
      [
        ["Range", "bytes=0-1"],
        ["If-Range", "Tue, 14 Nov 2023 22:13:20 GMT"],
      ],
      [
        ["Range", "bytes=0-1"],
        ["If-Range", "Tue, 14 Nov 2024 22:13:20 GMT"],
      ],
    ],
  },
};

export const cdnOrigin: Archetype = {
  name: "cdn",
  text: (
    random,
  ) => `${globalOptions([], [random.pick(["trusted_proxies static 127.0.0.0/8", "trusted_proxies static private_ranges\n\t\ttrusted_proxies_strict", "trusted_proxies static 127.0.0.1\n\t\tclient_ip_headers CF-Connecting-IP X-Forwarded-For", "trusted_proxies static 10.0.0.0/8"])])}origin.example.com, http://origin.example.com {
	log
	@secret header X-Origin-Key k
	${maybe(random, "@internal client_ip 203.0.113.0/24\n\trespond @internal internal")}
	header Cache-Control "public, s-maxage=60"
	${random.pick(["reverse_proxy %UP_A%", "reverse_proxy %UP_A% {\n\t\theader_up X-Real-IP {client_ip}\n\t}", 'respond "{client_ip} {remote_host} {http.request.header.X-Forwarded-For}"', "root %ROOT%\n\tfile_server"])}
}
`,
  hints: {
    targets: ["/", "/style.css", "/a.txt", "/img?w=10"],
    fields: [
      [["X-Forwarded-For", "203.0.113.9"]],
      [["X-Forwarded-For", "203.0.113.9, 127.0.0.1"]],
      [["X-Forwarded-For", "evil"]],
      [["X-Forwarded-For", "2001:db8::1"]],
      [
        ["X-Forwarded-For", "1.1.1.1"],
        ["X-Forwarded-For", "203.0.113.9"],
      ],
      [["X-Forwarded-For", "203.0.113.9:1234"]],
      [["X-Forwarded-For", ""]],
      [["CF-Connecting-IP", "203.0.113.9"]],
      [["X-Forwarded-Proto", "https"]],
      [["X-Forwarded-Host", "front.test"]],
      [["X-Origin-Key", "k"]],
    ],
    behaviours: ["cached", "own", "gzip", "status=304", "status=404", "ok", "cookies"],
  },
};

export const maintenance: Archetype = {
  name: "maintenance",
  text: (random) => `${globalOptions()}shop.example.com, http://shop.example.com {
	log
	root %ROOT%
	@open {
		not remote_ip 10.0.0.0/8
		file {
			try_files ${random.pick(["maintenance.html", "missing.flag"])}
		}
		not path /health
	}
	handle @open {
		${random.pick(["error 503", "rewrite * /maintenance.html\n\t\tfile_server {\n\t\t\tstatus 503\n\t\t}", 'header Retry-After 3600\n\t\trespond "back soon" 503'])}
	}
	${maybe(random, "redir /old/* /new{uri} permanent")}
	reverse_proxy %UP_A%
	handle_errors${random.pick(["", " 503", " 5xx"])} {
		${random.pick(["rewrite * /maintenance.html\n\t\tfile_server", 'header Retry-After 60\n\t\trespond "{err.status_code} {err.status_text}" 503', "root %ROOT%\n\t\trewrite * /404.html\n\t\ttemplates\n\t\tfile_server"])}
	}
}
`,
  hints: {
    targets: ["/", "/health", "/cart?x=1", "/old/x", "/a.txt", "/maintenance.html"],
    behaviours: ["ok", "status=500", "status=503", "nothing", "reset"],
  },
};
