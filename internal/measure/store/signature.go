package store

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"memcost/internal/base/foreign"
	"memcost/internal/measure/certificate"
)

// A document that says what a folder was asked for ends with two fields that are hashes of everything before them: a
// signature, keyed with a secret of the user's, for a folder that somebody else made, or changed, has none of this
// user's, and --resume would run its commands; and a check, which anyone can compute, for damage.
const (
	signatureField = "signature"
	checkField     = "check"
)

// Checked returns a document in JSON with a check as its last field.
func Checked(data []byte) []byte { return withField(data, checkField, checkOf(data)) }

// Whole returns an error where a document was changed since Checked returned it. One without a check is of a memcost
// that made none.
func Whole(data []byte) error {
	if rest, check, has := lastField(data, checkField); has && check != checkOf(rest) {
		return errors.New("it is damaged, or was changed: its check does not fit")
	}
	return nil
}

func checkOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

const (
	documentEnds = "\n}\n"
	fieldEnds    = "\"\n}\n"
)

func fieldBegins(name string) string { return ",\n  \"" + name + "\": \"" }

// withField returns a document with a further field.
func withField(data []byte, name, value string) []byte {
	body, is := bytes.CutSuffix(data, []byte(documentEnds))
	if !is {
		return data
	}
	return slices.Concat(body, []byte(fieldBegins(name)), []byte(value), []byte(fieldEnds))
}

// lastField undoes withField.
func lastField(data []byte, name string) (rest []byte, value string, has bool) {
	body, is := bytes.CutSuffix(data, []byte(fieldEnds))
	at := bytes.LastIndex(body, []byte(fieldBegins(name)))
	if !is || at < 0 {
		return data, "", false
	}
	return slices.Concat(body[:at], []byte(documentEnds)), string(body[at+len(fieldBegins(name)):]), true
}

// keyFile holds the user's secret, in the folder of settings.
const keyFile = "key"

// signed returns a document with the user's signature and a check. Where the user has no folder for a key it has no
// signature, and --resume will ask.
func signed(data []byte) []byte {
	if key, err := userKey(true); err == nil {
		data = withField(data, signatureField, signatureOf(key, data))
	}
	return Checked(data)
}

// Signed returns nil where a document of a folder has the user's signature, and else why it is not the user's own.
func Signed(dir, name string) error {
	data, err := foreign.Read(dir, name, foreign.Document)
	if err != nil {
		return err
	}
	if err := Whole(data); err != nil {
		return err
	}
	data, _, _ = lastField(data, checkField)
	rest, signature, has := lastField(data, signatureField)
	if !has {
		return errors.New("it has no signature")
	}
	key, err := userKey(false)
	if err != nil {
		return errors.New("there is no key of yours here to know it by")
	}
	if !hmac.Equal([]byte(signature), []byte(signatureOf(key, rest))) {
		return errors.New("its signature is not yours, or it was changed since")
	}
	return nil
}

func signatureOf(key, document []byte) string {
	h := hmac.New(sha256.New, key)
	h.Write(document)
	return hex.EncodeToString(h.Sum(nil))
}

// userKey returns the user's secret, and makes one where there is none. Of several processes that do at once one
// succeeds, and all have its key.
func userKey(create bool) ([]byte, error) {
	dir, err := certificate.Dir()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, keyFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) && create {
		if err = newKey(dir, path); err == nil {
			data, err = os.ReadFile(path)
		}
	}
	if err == nil && len(data) < sha256.Size {
		err = fmt.Errorf("%s is too short for a key", path)
	}
	return data, err
}

func newKey(dir, path string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".key-*") // for the user alone
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	secret := make([]byte, sha256.Size)
	rand.Read(secret) // never fails
	_, err = f.Write(secret)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}
