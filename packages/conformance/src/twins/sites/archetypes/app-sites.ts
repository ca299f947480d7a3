import { globalOptions } from "../global-options.ts";
import { type Archetype, maybe } from "./archetype.ts";

export const singlePageApp: Archetype = {
  name: "spa",
  text: (random) => `${globalOptions()}http://app.example.com {
	log
	encode zstd gzip
	${random.pick(["handle /api/* {\n\t\treverse_proxy %UP_A%\n\t}", "handle_path /api/* {\n\t\treverse_proxy %UP_A%\n\t}", "reverse_proxy /api/* %UP_A%", "@api path /api/*\n\thandle @api {\n\t\turi strip_prefix /api\n\t\treverse_proxy %UP_A% %UP_B% {\n\t\t\tlb_policy round_robin\n\t\t}\n\t}"])}
	handle {
		root %ROOT%/app
		${random.pick(["try_files {path} /index.html", "try_files {path} {path}/ /index.html", "try_files {path} {path}.html /index.html"])}
		${maybe(random, "header /index.html Cache-Control no-cache")}
		file_server${random.pick(["", " {\n\t\t\tprecompressed zstd br gzip\n\t\t}"])}
	}
}
`,
  hints: {
    targets: [
      "/",
      "/index.html",
      "/main.js",
      "/dashboard",
      "/dashboard/",
      "/users/12?tab=a",
      "/api",
      "/api/",
      "/api/users?x=1",
      "/api/../index.html",
      "/api%2Fusers",
      "/missing.js",
      "/assets/",
      "/main.js?v=2",
    ],
    fields: [[["Accept-Encoding", "gzip, br, zstd"]], [["Accept", "text/html"]], [["If-None-Match", '"x"']]],
    behaviours: [
      "ok",
      "status=404",
      "status=500",
      "pieces=ndjson",
      "chunked=5000",
      "type=application/json",
      "body=5000",
      "trailers",
      "interim=103",
    ],
  },
};

export const llmStream: Archetype = {
  name: "llm",
  text: (random) => `${globalOptions()}llm.example.com, http://llm.example.com {
	log
	${random.pick(["encode", "encode gzip", "encode zstd gzip", ""])}
	${maybe(random, "request_body {\n\t\tmax_size 100KB\n\t}")}
	@key header Authorization "Bearer abc"
	handle /v1/* {
		${random.pick(["reverse_proxy @key %UP_A%", "reverse_proxy %UP_A% {\n\t\t\tflush_interval -1\n\t\t}", "reverse_proxy %UP_A% %UP_B% {\n\t\t\tlb_policy first\n\t\t\tlb_retries 1\n\t\t\theader_up X-Api 1\n\t\t}", "reverse_proxy %UP_A% {\n\t\t\ttransport http {\n\t\t\t\tread_timeout 1s\n\t\t\t\tcompression off\n\t\t\t}\n\t\t}"])}
		respond "no key" 401
	}
	respond 404
}
`,
  hints: {
    targets: ["/v1/chat/completions", "/v1/chat/completions", "/v1/models", "/v1/", "/v2/x"],
    methods: ["POST", "POST", "GET", "OPTIONS"],
    fields: [
      [["Authorization", "Bearer abc"]],
      [["Accept", "text/event-stream"]],
      [["Accept-Encoding", "gzip, deflate, br, zstd"]],
      [["Content-Type", "application/json"]],
    ],
    behaviours: [
      "pieces=sse",
      "pieces=sse",
      "pieces=ndjson",
      "pieces=text",
      "pieces-length",
      "pieces-end",
      "cut-chunked",
      "bad-chunk",
      "status=503",
      "early",
      "slow=60",
      "trailers",
    ],
  },
};

export const grpc: Archetype = {
  name: "grpc",
  text: (random) => `${globalOptions()}grpc.example.com, http://grpc.example.com {
	log
	${maybe(random, '@grpc protocol grpc\n\trespond @grpc "never" 200 {\n\t\tclose\n\t}'.replace('respond @grpc "never" 200 {\n\t\tclose\n\t}', "header @grpc X-Grpc 1"))}
	${random.pick(["reverse_proxy h2c://%UP_2%", "reverse_proxy /pkg.Service/* h2c://%UP_2%", "reverse_proxy %UP_2% {\n\t\ttransport http {\n\t\t\tversions h2c 2\n\t\t}\n\t}", "reverse_proxy h2c://%UP_2% {\n\t\tflush_interval -1\n\t\theader_up X-Grpc 1\n\t}"])}
	respond "no service" 404
}
`,
  hints: {
    targets: ["/pkg.Service/Get", "/pkg.Service/Stream", "/pkg.Other/Get", "/"],
    methods: ["POST", "POST", "POST", "GET"],
    vias: ["h2", "h2c", "h2c", "http"],
    fields: [
      [
        ["Content-Type", "application/grpc"],
        ["TE", "trailers"],
      ],
      [["grpc-timeout", "1S"]],
      [["grpc-encoding", "gzip"]],
    ],
    behaviours: [
      "grpc",
      "grpc-stream",
      "grpc-error",
      "trailers",
      "reset",
      "reset=8",
      "reset=0",
      "status=503",
      "interim",
    ],
  },
};

export const chat: Archetype = {
  name: "chat",
  text: (random) => `${globalOptions()}http://chat.example.com {
	log
	@ws {
		header Connection *Upgrade*
		header Upgrade websocket
	}
	${random.pick(["reverse_proxy @ws %UP_A%", "handle @ws {\n\t\treverse_proxy %UP_A% {\n\t\t\tstream_close_delay 1s\n\t\t}\n\t}", "reverse_proxy /socket %UP_A% {\n\t\tstream_timeout 1h\n\t}"])}
	${maybe(random, "encode gzip")}
	handle {
		root %ROOT%
		file_server
	}
}
`,
  hints: {
    targets: ["/socket", "/socket?room=1", "/socket", "/", "/a.txt"],
    methods: ["GET", "GET", "POST"],
    fields: [
      [
        ["Connection", "Upgrade"],
        ["Upgrade", "websocket"],
        ["Sec-WebSocket-Version", "13"],
        ["Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="],
      ],
      [
        ["Connection", "keep-alive, Upgrade"],
        ["Upgrade", "websocket"],
      ],
      [["Upgrade", "websocket"]],
      [["Sec-WebSocket-Protocol", "chat, superchat"]],
    ],
    behaviours: [
      "upgrade",
      "upgrade",
      "upgrade",
      "tunnel-unasked",
      "status=403",
      "ok",
      "nothing",
      "redirect=302",
    ],
  },
};

export const corsApi: Archetype = {
  name: "cors",
  text: (
    random,
  ) => `${globalOptions([], [random.pick(["log_credentials", "trusted_proxies static private_ranges"])])}(cors) {
	@preflight{args[0]} {
		method OPTIONS
		header Origin {args[0]}
	}
	@origin{args[0]} header Origin {args[0]}
	handle @preflight{args[0]} {
		header Access-Control-Allow-Origin "{args[0]}"
		header Access-Control-Allow-Methods "GET, POST, PUT, PATCH, DELETE"
		header Access-Control-Allow-Headers Content-Type
		header Access-Control-Max-Age 3600
		header Vary Origin
		respond "" 204
	}
	handle @origin{args[0]} {
		header {
			Access-Control-Allow-Origin "{args[0]}"
			Access-Control-Expose-Headers Link
			+Vary Origin
			${maybe(random, "defer")}
		}
	}
}
api.example.com, http://api.example.com {
	log
	import cors https://app.example.com
	${maybe(random, "import cors http://localhost:3000")}
	${random.pick(["reverse_proxy %UP_A%", "reverse_proxy %UP_A% {\n\t\theader_down -Access-Control-Allow-Origin\n\t\theader_down -X-Up\n\t}", "route {\n\t\trewrite * /v2{uri}\n\t\treverse_proxy %UP_A%\n\t}"])}
}
`,
  hints: {
    targets: ["/users", "/users/1", "/users?limit=5", "/"],
    methods: ["OPTIONS", "OPTIONS", "GET", "POST", "PUT"],
    fields: [
      [["Origin", "https://app.example.com"]],
      [
        ["Origin", "https://app.example.com"],
        ["Access-Control-Request-Method", "PUT"],
        ["Access-Control-Request-Headers", "content-type"],
      ],
      [["Origin", "http://localhost:3000"]],
      [["Origin", "null"]],
      [["Origin", "https://APP.example.com"]],
    ],
  },
};
