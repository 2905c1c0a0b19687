package place

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/encrypt"
	"gopkg.in/ini.v1"

	"memcost/internal/base/hint"
)

// settings are what the parameters of a bucket's URL, the environment and the files of AWS say.
type settings struct {
	region, profile, endpoint, role string
	anonymous, insecure, accelerate bool
	dualStack, fips                 bool
	pathStyle                       *bool // nil: as suits the endpoint
	encryption                      encrypt.ServerSide
}

// without are parameters of other stores' URLs that ask for what is done here anyway: a request has one hash,
// its MD5, and an answer none.
var without = []string{"request_checksum_calculation=when_required", "response_checksum_validation=when_required",
	"awssdk=v2"}

// settingsOf reads parameters. They are those of gocloud.dev/blob/s3blob, for places that were given with
// its URLs, but for what its library did and this one does not.
func settingsOf(q url.Values) (*settings, error) {
	s := &settings{}
	var encryption, key string
	var path, fixed bool
	words := map[string]*string{"region": &s.region, "profile": &s.profile, "endpoint": &s.endpoint, "role": &s.role,
		"ssetype": &encryption, "kmskeyid": &key}
	switches := map[string]*bool{"anonymous": &s.anonymous, "disable_https": &s.insecure, "accelerate": &s.accelerate,
		"dualstack": &s.dualStack, "fips": &s.fips, "use_path_style": &path, "s3ForcePathStyle": &path,
		"hostname_immutable": &fixed}
	for name := range q {
		if given := name + "=" + q.Get(name); slices.Contains(without, given) {
			continue
		}
		if word, is := words[name]; is {
			*word = q.Get(name)
			continue
		}
		on, is := switches[name]
		if !is {
			known := slices.Sorted(maps.Keys(words))
			known = append(known, slices.Sorted(maps.Keys(switches))...)
			return nil, hint.Usage("the parameters of a bucket are "+strings.Join(known, ", "),
				"a bucket has no parameter %s", name)
		}
		var err error
		if *on, err = strconv.ParseBool(q.Get(name)); err != nil {
			return nil, hint.Usage(name+"=true", "the parameter %s=%s: not true or false", name, q.Get(name))
		}
	}
	if q.Has("use_path_style") || q.Has("s3ForcePathStyle") || fixed {
		path = path || fixed
		s.pathStyle = &path
	}
	var err error
	s.encryption, err = encryptionOf(encryption, key)
	return s, err
}

func encryptionOf(kind, key string) (encrypt.ServerSide, error) {
	switch strings.ToLower(kind) {
	case "":
		if key == "" {
			return nil, nil
		}
		return encrypt.NewSSEKMS(key, nil)
	case "aws:kms":
		return encrypt.NewSSEKMS(key, nil)
	case "aes256":
		return encrypt.NewSSE(), nil
	}
	return nil, hint.Usage("ssetype=AES256, or ssetype=aws:kms", "the parameter ssetype=%s", kind)
}

// client returns what speaks to the object store. It asks for nothing yet.
func (s *settings) client(bucket string) (*minio.Client, error) {
	c := readConfig(s.profile)
	s.region = cmp.Or(s.region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), c.region)
	endpoint := cmp.Or(s.endpoint, os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), c.endpoint)
	host, secure, lookup, err := s.host(endpoint, bucket)
	if err != nil {
		return nil, err
	}
	client, err := minio.New(host, &minio.Options{Creds: s.credentials(c), Secure: secure, Region: s.region,
		BucketLookup: lookup})
	if err != nil {
		return nil, err
	}
	client.SetS3EnableDualstack(s.dualStack)
	if s.accelerate {
		client.SetS3TransferAccelerate("s3-accelerate.amazonaws.com")
	}
	return client, nil
}

// host returns where the object store is, and how a bucket of it is named: in the host's name or in the path.
func (s *settings) host(endpoint, bucket string) (string, bool, minio.BucketLookupType, error) {
	lookup := minio.BucketLookupAuto
	if endpoint == "" {
		host := "s3.amazonaws.com"
		if s.fips {
			if s.region == "" {
				return "", false, 0, hint.Usage("fips=true&region=us-east-1", "the parameter fips needs a region")
			}
			host = "s3-fips." + s.region + ".amazonaws.com"
			if s.dualStack {
				host = "s3-fips.dualstack." + s.region + ".amazonaws.com"
			}
		}
		if s.pathStyle != nil && *s.pathStyle {
			lookup = minio.BucketLookupPath
		}
		return host, !s.insecure, lookup, nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" {
		return "", false, 0, hint.Usage("endpoint=https://HOST:PORT", "the endpoint %s: not the URL of an object store",
			endpoint)
	}
	// An address has no names below it, and no certificate is for a name with further points.
	path := net.ParseIP(u.Hostname()) != nil || strings.Contains(bucket, ".")
	if s.pathStyle != nil {
		path = *s.pathStyle
	}
	if lookup = minio.BucketLookupDNS; path {
		lookup = minio.BucketLookupPath
	}
	return u.Host, u.Scheme == "https", lookup, nil
}

// A config is what the files of AWS say of a profile beside its keys, which the library reads.
type config struct {
	region, endpoint         string
	role, source, externalID string // a role to take on, with the keys of the profile source
}

// readConfig reads a profile of ~/.aws/credentials and ~/.aws/config; "" is the profile in use. What is not
// there says nothing: a region may as well stand in the URL.
func readConfig(profile string) config {
	profile = cmp.Or(profile, os.Getenv("AWS_PROFILE"), "default")
	home, _ := os.UserHomeDir()
	aws := func(name string) string { return filepath.Join(home, ".aws", name) }
	keys := section(cmp.Or(os.Getenv("AWS_SHARED_CREDENTIALS_FILE"), aws("credentials")), profile)
	if profile != "default" {
		profile = "profile " + profile
	}
	rest := section(cmp.Or(os.Getenv("AWS_CONFIG_FILE"), aws("config")), profile)
	get := func(name string) string { return cmp.Or(keys[name], rest[name]) }
	return config{get("region"), get("endpoint_url"), get("role_arn"), get("source_profile"), get("external_id")}
}

func section(file, name string) map[string]string {
	f, err := ini.Load(file)
	if err != nil {
		return nil
	}
	s, err := f.GetSection(name)
	if err != nil {
		return nil
	}
	return s.KeysHash()
}

// credentials are looked for when the first request needs them, in the order of AWS's own tools: a profile
// that the URL names, or the environment, the profile in use, and what the machine is given.
func (s *settings) credentials(c config) *credentials.Credentials {
	if s.anonymous {
		return credentials.NewStaticV4("", "", "")
	}
	environment, machine := source{Provider: &credentials.EnvAWS{}}, ofMachine()
	files := source{Provider: &credentials.FileAWSCredentials{Profile: s.profile},
		quiet: s.profile == "" && os.Getenv("AWS_PROFILE") == ""}
	if c.role != "" {
		base := search{environment, machine}
		if c.source != "" {
			base = search{{Provider: &credentials.FileAWSCredentials{Profile: c.source}}}
		}
		files = source{Provider: s.assume(base, c.role, c.externalID)}
	}
	in := search{environment, files, machine}
	switch {
	case s.profile != "":
		in = search{files, machine}
	case os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE") != "":
		in = search{environment, machine, files}
	}
	if s.role != "" {
		return credentials.New(s.assume(in, s.role, ""))
	}
	return credentials.New(&found{ask: in.retrieve})
}

// ofMachine is what a container or a virtual machine is given by AWS. A machine that is neither does not
// answer, which is no error, and no reason to wait.
func ofMachine() source {
	given := false
	for _, name := range []string{"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI"} {
		given = given || os.Getenv(name) != ""
	}
	if !given && strings.EqualFold(os.Getenv("AWS_EC2_METADATA_DISABLED"), "true") {
		return source{}
	}
	return source{Provider: &credentials.IAM{Client: &http.Client{Timeout: 5 * time.Second}}, quiet: !given}
}

// A source gives credentials; the error of one that is quiet is not the user's.
type source struct {
	credentials.Provider // nil gives none
	quiet                bool
}

// A search is sources in the order in which they are asked. The library has one, which does not say why a
// source gave nothing, and goes on without credentials.
type search []source

func (s search) retrieve(cc *credentials.CredContext) (credentials.Provider, credentials.Value, error) {
	var errs []error
	for _, x := range s {
		if x.Provider == nil {
			continue
		}
		v, err := x.RetrieveWithCredContext(cc)
		if err == nil && v.AccessKeyID != "" && v.SecretAccessKey != "" {
			return x.Provider, v, nil
		}
		if err != nil && !x.quiet && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	err := errors.Join(errs...)
	if err == nil {
		err = errors.New("none in the environment, in ~/.aws, or of this machine")
	}
	return nil, credentials.Value{}, hint.With("export AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile "+
		"of ~/.aws/credentials: profile=NAME in the URL", fmt.Errorf("finding credentials: %w", err))
}

// found are the credentials of the source that gave some.
type found struct {
	ask func(*credentials.CredContext) (credentials.Provider, credentials.Value, error)
	now credentials.Provider
}

// RetrieveWithCredContext asks the sources.
func (f *found) RetrieveWithCredContext(cc *credentials.CredContext) (v credentials.Value, err error) {
	f.now, v, err = f.ask(cc)
	return v, err
}

// Retrieve asks the sources.
func (f *found) Retrieve() (credentials.Value, error) { return f.RetrieveWithCredContext(nil) }

// IsExpired reports whether the sources have to be asked again.
func (f *found) IsExpired() bool { return f.now == nil || f.now.IsExpired() }

// assume returns the credentials of a role, given for those of a search.
func (s *settings) assume(in search, role, externalID string) *found {
	region := cmp.Or(s.region, "us-east-1")
	host := "sts." + region + ".amazonaws.com"
	if strings.HasPrefix(region, "cn-") {
		host += ".cn"
	}
	endpoint := cmp.Or(os.Getenv("AWS_ENDPOINT_URL_STS"), "https://"+host)
	return &found{ask: func(cc *credentials.CredContext) (credentials.Provider, credentials.Value, error) {
		_, v, err := in.retrieve(cc)
		if err != nil {
			return nil, v, err
		}
		as := &credentials.STSAssumeRole{STSEndpoint: endpoint, Options: credentials.STSAssumeRoleOptions{RoleARN: role,
			RoleSessionName: "memcost", ExternalID: externalID, Location: region, AccessKey: v.AccessKeyID,
			SecretKey: v.SecretAccessKey, SessionToken: v.SessionToken}}
		if v, err = as.RetrieveWithCredContext(cc); err != nil {
			return nil, v, fmt.Errorf("taking on the role %s: %w", role, err)
		}
		return as, v, nil
	}}
}
