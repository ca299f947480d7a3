// Runs the storage suite of Jaeger 1.62 (plugin/storage/integration), with its client, over the remote storage API.
package storageintegration

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/config/configgrpc"
	"go.opentelemetry.io/collector/config/configtls"
	"go.uber.org/zap/zaptest"

	"github.com/jaegertracing/jaeger/model"
	"github.com/jaegertracing/jaeger/pkg/metrics"
	"github.com/jaegertracing/jaeger/pkg/tenancy"
	"github.com/jaegertracing/jaeger/plugin/storage/grpc"
	"github.com/jaegertracing/jaeger/plugin/storage/integration"
	"github.com/jaegertracing/jaeger/storage/spanstore"
)

// Each test of the suite wants an empty store, so each has a tenant of its own: the server runs with
// --multi-tenancy.enabled. The suite itself knows no tenants.
type tenantReader struct {
	spanstore.Reader
	tenant string
}

func (r tenantReader) GetTrace(ctx context.Context, id model.TraceID) (*model.Trace, error) {
	return r.Reader.GetTrace(tenancy.WithTenant(ctx, r.tenant), id)
}

func (r tenantReader) GetServices(ctx context.Context) ([]string, error) {
	return r.Reader.GetServices(tenancy.WithTenant(ctx, r.tenant))
}

func (r tenantReader) GetOperations(
	ctx context.Context,
	query spanstore.OperationQueryParameters,
) ([]spanstore.Operation, error) {
	return r.Reader.GetOperations(tenancy.WithTenant(ctx, r.tenant), query)
}

func (r tenantReader) FindTraces(
	ctx context.Context,
	query *spanstore.TraceQueryParameters,
) ([]*model.Trace, error) {
	return r.Reader.FindTraces(tenancy.WithTenant(ctx, r.tenant), query)
}

type tenantWriter struct {
	spanstore.Writer
	tenant string
}

func (w tenantWriter) WriteSpan(ctx context.Context, span *model.Span) error {
	return w.Writer.WriteSpan(tenancy.WithTenant(ctx, w.tenant), span)
}

type remoteSuite struct {
	integration.StorageIntegration
	factory *grpc.Factory
	opened  int
}

func (s *remoteSuite) open(t *testing.T) {
	s.opened++
	tenant := fmt.Sprintf("suite-%d-%d", time.Now().UnixNano(), s.opened)
	config := grpc.DefaultConfig()
	config.Tenancy = tenancy.Options{Enabled: true, Header: "x-tenant"}
	config.ClientConfig = configgrpc.ClientConfig{
		Endpoint:   os.Getenv("REMOTE_STORAGE"),
		TLSSetting: configtls.ClientConfig{Insecure: true},
	}
	factory, err := grpc.NewFactoryWithConfig(config, metrics.NullFactory, zaptest.NewLogger(t))
	require.NoError(t, err)
	s.factory = factory

	writer, err := factory.CreateSpanWriter()
	require.NoError(t, err)
	s.SpanWriter = tenantWriter{writer, tenant}
	reader, err := factory.CreateSpanReader()
	require.NoError(t, err)
	s.SpanReader = tenantReader{reader, tenant}
	archiveReader, err := factory.CreateArchiveSpanReader()
	require.NoError(t, err)
	s.ArchiveSpanReader = tenantReader{archiveReader, tenant}
	archiveWriter, err := factory.CreateArchiveSpanWriter()
	require.NoError(t, err)
	s.ArchiveSpanWriter = tenantWriter{archiveWriter, tenant}
	s.CleanUp = func(t *testing.T) {
		require.NoError(t, s.factory.Close())
		s.open(t)
	}
}

// The API writes no dependencies and has no sampling store: the suite skips those tests, as it does for Jaeger's own
// server.
func TestRemoteStorage(t *testing.T) {
	if os.Getenv("REMOTE_STORAGE") == "" {
		t.Skip("REMOTE_STORAGE names no host:port of a remote storage")
	}
	s := &remoteSuite{}
	s.open(t)
	defer func() { require.NoError(t, s.factory.Close()) }()
	s.RunAll(t)
}
