#!/bin/sh
# Installs what building memcost needs and what is missing here. With "test", also
# what the tests need; with "long", also what only make test-long needs. What cannot be installed is
# named, with the command that would do it; nothing else is touched.
set -eu

missing=""
need() { # need COMMAND PACKAGE
	command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}

if ! command -v "${GO:-go}" >/dev/null 2>&1; then
	echo "setup: Go is missing: install Go 1.26 or newer (https://go.dev/dl/) and put it on PATH" >&2
	exit 1
fi
need cc gcc
need git git
# The page is tested in a real browser, and drawn for the README.
if [ "${1:-}" = test ] || [ "${1:-}" = long ]; then
	command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || missing="$missing chromium fonts-dejavu-core"
fi
if [ "${1:-}" = long ]; then
	need qemu-aarch64 qemu-user
fi
[ -z "$missing" ] && exit 0

if ! command -v apt-get >/dev/null 2>&1; then
	echo "setup: please install:$missing" >&2
	exit 0
fi
sudo=""
if [ "$(id -u)" != 0 ]; then
	if ! sudo -n true 2>/dev/null; then
		echo "setup: no right to install; what is missing is skipped. To install: sudo apt-get install -y$missing" >&2
		exit 0
	fi
	sudo="sudo -n"
fi
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # the list is words
$sudo apt-get install -y -qq $missing >/dev/null 2>&1 || {
	$sudo apt-get update -qq && $sudo apt-get install -y -qq $missing >/dev/null
}
