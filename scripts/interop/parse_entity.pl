# HTTP::Entity::Parser, for Tests/MultipartFormTests/Interop: FOLDER/CASE.body into FOLDER/parsed-perl.json.
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use Encode qw(decode);
use JSON::PP;
use HTTP::Entity::Parser;

sub slurp {
    my ($path) = @_;
    open my $file, '<:raw', $path or die "$path: $!";
    local $/ = undef;
    my $bytes = <$file>;
    close $file;
    return defined $bytes ? $bytes : '';
}

my $folder = $ARGV[0];
my @results;
for my $item (@{ decode_json(slurp("$folder/cases.json")) }) {
    my $entry = { case => $item->{case}, parser => 'perl', ordered => JSON::PP::false, parts => [], error => undef };
    eval {
        my $body = slurp("$folder/$item->{case}.body");
        open my $input, '<:raw', \$body or die $!;
        my $parser = HTTP::Entity::Parser->new;
        $parser->register('multipart/form-data', 'HTTP::Entity::Parser::MultiPart');
        # Named: the files of the uploads live as long as it.
        my $environment = {
            CONTENT_TYPE => "multipart/form-data; boundary=$item->{boundary}",
            CONTENT_LENGTH => length $body,
            'psgi.input' => $input,
            'psgix.input.buffered' => 1,
        };
        my ($params, $uploads) = $parser->parse($environment);
        my @params = @$params;
        while (my ($name, $value) = splice @params, 0, 2) {
            push @{ $entry->{parts} }, { name => decode('UTF-8', $name), filename => undef, type => undef,
                sha256 => sha256_hex($value) };
        }
        my @uploads = @$uploads;
        while (my ($name, $upload) = splice @uploads, 0, 2) {
            my %headers = @{ $upload->{headers} };
            my ($type) = map { $headers{$_} } grep { lc $_ eq 'content-type' } keys %headers;
            push @{ $entry->{parts} }, { name => decode('UTF-8', $name),
                filename => decode('UTF-8', $upload->{filename}), type => $type,
                sha256 => sha256_hex(slurp($upload->{tempname})) };
        }
        1;
    } or $entry->{error} = "$@";
    push @results, $entry;
}
open my $output, '>:raw', "$folder/parsed-perl.json" or die $!;
print {$output} JSON::PP->new->utf8->encode(\@results);
close $output;
