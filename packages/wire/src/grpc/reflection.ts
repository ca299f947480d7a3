import { type handleBidiStreamingCall, type Server, status } from "@grpc/grpc-js";
import {
  ServerReflectionService as reflectionV1,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from "../gen/grpc/reflection/v1/reflection.ts";
import { ServerReflectionService as reflectionV1Alpha } from "../gen/grpc/reflection/v1alpha/reflection.ts";
import { type Descriptors, loadDescriptors } from "./descriptors.ts";
import { rpcServiceName } from "./with-public-names.ts";

type Answer = NonNullable<ServerReflectionResponse["messageResponse"]>;

function notFound(errorMessage: string): Answer {
  return { $case: "errorResponse", value: { errorCode: status.NOT_FOUND, errorMessage } };
}

function fileAnswer(descriptors: Descriptors, fileName: string | undefined, asked: string): Answer {
  const files = fileName === undefined ? undefined : descriptors.withImports(fileName);
  if (files === undefined) {
    return notFound(`not found: ${asked}`);
  }
  return {
    $case: "fileDescriptorResponse",
    value: { fileDescriptorProto: files.map((file) => Buffer.from(file)) },
  };
}

function answerTo(
  request: ServerReflectionRequest,
  descriptors: Descriptors,
  services: readonly string[],
): Answer {
  const asked = request.messageRequest;
  switch (asked?.$case) {
    case "listServices":
      return { $case: "listServicesResponse", value: { service: services.map((name) => ({ name })) } };
    case "fileByFilename":
      return fileAnswer(descriptors, asked.value, asked.value);
    case "fileContainingSymbol":
      return fileAnswer(descriptors, descriptors.fileOf(asked.value), asked.value);
    case "fileContainingExtension":
      return notFound(`not found: extension ${asked.value.extensionNumber} of ${asked.value.containingType}`);
    case "allExtensionNumbersOfType":
      // No .proto file of this product uses extensions, so the list is empty.
      return descriptors.fileOf(asked.value) === undefined
        ? notFound(`not found: ${asked.value}`)
        : {
            $case: "allExtensionNumbersResponse",
            value: { baseTypeName: asked.value, extensionNumber: [] },
          };
    default:
      return {
        $case: "errorResponse",
        value: { errorCode: status.INVALID_ARGUMENT, errorMessage: "the request asks for nothing" },
      };
  }
}

/**
 * Answers `grpc.reflection.v1` and `v1alpha`: with grpcurl, `list` shows all services, and `describe` works for every
 * service, message and file in `protos/`, also by its public name.
 * @param serviceNames full names, such as `rpcServiceName` of each definition on the server Source: grpc/grpc
 * doc/server-reflection.md
 */
export function addReflection(server: Server, serviceNames: readonly string[]): void {
  const descriptors = loadDescriptors();
  const services = [...serviceNames, rpcServiceName(reflectionV1), rpcServiceName(reflectionV1Alpha)].sort();
  const serverReflectionInfo: handleBidiStreamingCall<ServerReflectionRequest, ServerReflectionResponse> = (
    call,
  ) => {
    call.on("data", (request: ServerReflectionRequest) => {
      const isTaken = call.write({
        validHost: request.host,
        originalRequest: request,
        messageResponse: answerTo(request, descriptors, services),
      });
      // An answer may be a thousand times longer than its request. The next request is therefore read only when the
      // client has read the answer.
      if (!isTaken) {
        call.pause();
      }
    });
    call.on("drain", () => call.resume());
    call.on("end", () => call.end());
    call.on("error", () => {}); // The client has disconnected.
  };
  server.addService(reflectionV1, { serverReflectionInfo });
  server.addService(reflectionV1Alpha, { serverReflectionInfo });
}
