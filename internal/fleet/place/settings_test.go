package place

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"memcost/internal/base/hint"
)

// withoutAWS takes away what this machine's user has for AWS, and returns the folder of the files.
func withoutAWS(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	for _, line := range os.Environ() {
		if name, _, _ := strings.Cut(line, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	dir := filepath.Join(home, ".aws")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A signed is an object store that keeps how requests were signed, and gives roles.
type signed struct {
	by   []string // "KEY/REGION", or "nobody"
	role url.Values
}

func (s *signed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, by, is := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	if !is {
		s.by = append(s.by, "nobody")
	} else {
		parts := strings.Split(by, "/")
		s.by = append(s.by, parts[0]+"/"+parts[2])
	}
	if r.Method == http.MethodPost {
		body, _ := io.ReadAll(r.Body)
		s.role, _ = url.ParseQuery(string(body))
		fmt.Fprint(w, `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">`+
			`<AssumeRoleResult><Credentials><AccessKeyId>ROLE</AccessKeyId>`+
			`<SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>`+
			`<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`)
		return
	}
	w.WriteHeader(http.StatusForbidden)
}

func TestCredentials(t *testing.T) {
	const keys = "aws_secret_access_key = s\naws_access_key_id = "
	for _, c := range []struct {
		name, credentials, config, query string
		env                              map[string]string
		want, role                       string
	}{
		{name: "environment", want: "ENV/eu-west-3", credentials: "[default]\n" + keys + "FILE\n",
			env: map[string]string{"AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "eu-west-3"}},
		{name: "file", want: "FILE/eu-west-1", credentials: "[default]\n" + keys + "FILE\n",
			config: "[default]\nregion = eu-west-1\n"},
		{name: "region of the URL", want: "FILE/us-west-2", credentials: "[default]\n" + keys + "FILE\n",
			config: "[default]\nregion = eu-west-1\n", query: "&region=us-west-2"},
		{name: "profile of the URL before the environment", want: "P/eu-west-2", query: "&profile=p",
			credentials: "[p]\n" + keys + "P\n", config: "[profile p]\nregion = eu-west-2\n",
			env: map[string]string{"AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s"}},
		{name: "profile in use", want: "P/eu-west-2", config: "[profile p]\nregion = eu-west-2\n" + keys + "P\n",
			env: map[string]string{"AWS_PROFILE": "p"}},
		{name: "anonymous", want: "nobody", query: "&anonymous=true&region=us-east-1",
			env: map[string]string{"AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s"}},
		{name: "role of the URL", want: "ENV/us-east-1 ROLE/us-east-1", role: "arn:r ",
			query: "&region=us-east-1&role=arn:r",
			env:   map[string]string{"AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s"}},
		{name: "role of a profile", want: "BASE/us-east-1 ROLE/us-east-1", role: "arn:p x",
			query: "&region=us-east-1&profile=p", credentials: "[base]\n" + keys + "BASE\n",
			config: "[profile p]\nrole_arn = arn:p\nsource_profile = base\nexternal_id = x\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := withoutAWS(t)
			write(t, filepath.Join(dir, "credentials"), c.credentials)
			write(t, filepath.Join(dir, "config"), c.config)
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			store := &signed{}
			server := httptest.NewServer(store)
			defer server.Close()
			t.Setenv("AWS_ENDPOINT_URL_STS", server.URL)
			p := folder(t, "s3://bucket/p?endpoint="+server.URL+c.query)
			_, err := p.Read(t.Context(), "x")
			if _, hints := hint.Split(err); len(hints) == 0 || !errors.Is(err, errDenied) {
				t.Errorf("without the right: %v", err)
			}
			if got := strings.Join(store.by, " "); got != c.want {
				t.Errorf("signed by %s, want %s", got, c.want)
			}
			if got := store.role.Get("RoleArn") + " " + store.role.Get("ExternalId"); c.role != "" && got != c.role {
				t.Errorf("the role %s, want %s", got, c.role)
			}
		})
	}
}

// Without credentials nothing is asked of the object store, and the user is told what to do.
func TestNoCredentials(t *testing.T) {
	dir := withoutAWS(t)
	store := &signed{}
	server := httptest.NewServer(store)
	defer server.Close()
	for _, c := range []struct{ query, want string }{{"", "none in the environment"}, {"&profile=p", `"p"`}} {
		write(t, filepath.Join(dir, "config"), "[default]\n")
		_, err := folder(t, "s3://bucket/p?region=x&endpoint="+server.URL+c.query).List(t.Context(), "x")
		text, hints := hint.Split(err)
		if len(hints) != 1 || !strings.Contains(hints[0], "AWS_ACCESS_KEY_ID") || !strings.Contains(text, c.want) {
			t.Errorf("%s: %v", c.query, err)
		}
	}
	if len(store.by) > 0 {
		t.Errorf("asked by %q", store.by)
	}
}

// A host is where requests go, and how they name the bucket.
func TestHosts(t *testing.T) {
	withoutAWS(t)
	dns, path, auto := minio.BucketLookupDNS, minio.BucketLookupPath, minio.BucketLookupAuto
	for _, c := range []struct {
		query, bucket, host string
		secure              bool
		lookup              minio.BucketLookupType
	}{
		{"", "b", "s3.amazonaws.com", true, auto},
		{"disable_https=true", "b", "s3.amazonaws.com", false, auto},
		{"fips=true&region=us-east-2", "b", "s3-fips.us-east-2.amazonaws.com", true, auto},
		{"s3ForcePathStyle=true", "b", "s3.amazonaws.com", true, path},
		{"endpoint=https://store.example:9000", "b", "store.example:9000", true, dns},
		{"endpoint=https://store.example", "b.c", "store.example", true, path},
		{"endpoint=http://store.example&use_path_style=true", "b", "store.example", false, path},
		{"endpoint=http://store.example&hostname_immutable=true", "b", "store.example", false, path},
		{"endpoint=http://127.0.0.1:9000", "b", "127.0.0.1:9000", false, path},
	} {
		q, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		s, err := settingsOf(q)
		if err != nil {
			t.Fatal(err)
		}
		host, secure, lookup, err := s.host(s.endpoint, c.bucket)
		if err != nil || host != c.host || secure != c.secure || lookup != c.lookup {
			t.Errorf("%s: %s, %v, %v, %v", c.query, host, secure, lookup, err)
		}
		if _, err := s.client(c.bucket); err != nil {
			t.Errorf("%s: %v", c.query, err)
		}
	}
}

func TestWrongParameters(t *testing.T) {
	withoutAWS(t)
	for _, query := range []string{"regoin=x", "anonymous=perhaps", "ssetype=none", "fips=true", "endpoint=store:9000",
		"endpoint=https://store/below", "rate_limiter_capacity=3"} {
		_, err := Open(t.Context(), "s3://bucket?"+query, false)
		if _, hints := hint.Split(err); !hint.IsUsage(err) || len(hints) == 0 {
			t.Errorf("%s: %v", query, err)
		}
	}
	for _, query := range []string{"ssetype=AES256", "ssetype=aws:kms&kmskeyid=k", "kmskeyid=k", "accelerate=true",
		"dualstack=true&region=eu-west-1", "request_checksum_calculation=when_required"} {
		if _, err := Open(t.Context(), "s3://bucket?"+query, false); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
}
