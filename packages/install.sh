#!/bin/sh
# Installs brokermeter for this user: sh install.sh [FROM]. FROM is the directory or the URL with SHA256SUMS and the archive; by default the
# directory of this script. The tool goes to ~/.local/share/brokermeter, its command to ~/.local/bin, and links to its manual pages to
# ~/.local/share/man. No root is needed. To remove it, delete these.
set -eu

fail() {
    echo "install.sh: $*" >&2
    exit 2
}

[ $# -le 1 ] || fail "one place to install from may be named, no more."
from=${1:-$(cd -- "$(dirname -- "$0")" && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

get() {
    case $from in
        http://* | https://* | file://*)
            if command -v curl > /dev/null; then
                curl -fsSL -o "$work/$1" "$from/$1"
            else
                wget -q -O "$work/$1" "$from/$1"
            fi || fail "$from/$1 cannot be fetched."
            ;;
        *) cp -- "$from/$1" "$work/$1" || fail "$from has no file $1." ;;
    esac
}

get SHA256SUMS
archive=$(sed -n 's/^[0-9a-f]* [ *]\(brokermeter-.*\.tar\.gz\)$/\1/p' "$work/SHA256SUMS" | head -n 1)
[ -n "$archive" ] || fail "$from/SHA256SUMS names no archive."
get "$archive"
sums=$(grep " [ *]*$archive\$" "$work/SHA256SUMS")
if command -v sha256sum > /dev/null; then
    (cd "$work" && printf '%s\n' "$sums" | sha256sum -c - > /dev/null 2>&1)
else
    (cd "$work" && printf '%s\n' "$sums" | shasum -a 256 -c - > /dev/null 2>&1)
fi || fail "$archive is not the file that SHA256SUMS tells of. Nothing was installed."

data=${XDG_DATA_HOME:-$HOME/.local/share}
bin=$HOME/.local/bin
mkdir -p "$data/brokermeter.new" "$data/man/man1" "$bin"
tar -xzf "$work/$archive" -C "$data/brokermeter.new" --strip-components=1
rm -rf "$data/brokermeter"
mv "$data/brokermeter.new" "$data/brokermeter"
ln -sf "$data/brokermeter/bin/brokermeter" "$bin/brokermeter"
for page in "$data"/brokermeter/share/man/man1/*.1; do
    [ ! -e "$page" ] || ln -sf "$page" "$data/man/man1/"
done
echo "Installed $(basename "$archive" .tar.gz). Start it with: brokermeter client --broker artemis --duration 10 queue://ORDERS"
case :$PATH: in
    *":$bin:"*) ;;
    *) echo "$bin is not in your PATH yet." ;;
esac
